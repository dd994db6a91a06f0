"""Writes lib/domain/update/resource-schemas.ts from AWS's published resource schemas, as cfn-lint ships them.

    python3 -m venv /tmp/cfnlint && /tmp/cfnlint/bin/pip install cfn-lint
    /tmp/cfnlint/bin/python toolchain/resource-schemas.py && npm run format

Another type that a construct makes: add it to TYPES.
"""

import json
import re
from importlib.metadata import version
from pathlib import Path

import cfnlint.data.schemas as schemas

TYPES = """
AWS::CloudWatch::Alarm AWS::CloudWatch::AlarmMuteRule AWS::CloudWatch::CompositeAlarm AWS::CloudWatch::Dashboard
AWS::DynamoDB::GlobalTable AWS::DynamoDB::Table
AWS::EC2::EIP AWS::EC2::InternetGateway AWS::EC2::NatGateway AWS::EC2::Route AWS::EC2::RouteTable AWS::EC2::SecurityGroup
AWS::EC2::SecurityGroupEgress AWS::EC2::SecurityGroupIngress AWS::EC2::Subnet AWS::EC2::SubnetRouteTableAssociation
AWS::EC2::VPC AWS::EC2::VPCEndpoint AWS::EC2::VPCGatewayAttachment
AWS::ECR::Repository
AWS::Events::Archive AWS::Events::EventBus AWS::Events::EventBusPolicy AWS::Events::Rule
AWS::IAM::ManagedPolicy AWS::IAM::Policy AWS::IAM::Role AWS::IAM::RolePolicy
AWS::KMS::Alias AWS::KMS::Key
AWS::Lambda::Alias AWS::Lambda::EventInvokeConfig AWS::Lambda::EventSourceMapping AWS::Lambda::Function
AWS::Lambda::LayerVersion AWS::Lambda::Permission AWS::Lambda::Url AWS::Lambda::Version
AWS::Logs::LogGroup AWS::Logs::LogStream AWS::Logs::MetricFilter AWS::Logs::QueryDefinition AWS::Logs::SubscriptionFilter
AWS::S3::Bucket AWS::S3::BucketPolicy
AWS::SNS::Subscription AWS::SNS::Topic AWS::SNS::TopicPolicy
AWS::SQS::Queue AWS::SQS::QueuePolicy
AWS::SSM::Parameter
AWS::Scheduler::Schedule AWS::Scheduler::ScheduleGroup
AWS::SecretsManager::Secret
AWS::StepFunctions::StateMachine
""".split()

# What a name is unique in, where the schemas say it with an ARN only.
WITHIN = {"AWS::Events::Rule": ["EventBusName"], "AWS::Lambda::Alias": ["FunctionName"]}

REGION = "us-east-1"
HOME = Path(schemas.__file__).parent
TARGET = Path(__file__).resolve().parent.parent / "lib/domain/update/resource-schemas.ts"


def names(pointers):
    """Top-level properties that JSON pointers of a schema are about."""
    return sorted({pointer.removeprefix("/properties/").split("/")[0] for pointer in pointers or []})


def physical_name(type_name, schema):
    """The properties that make up the identity of a resource and that a template can set."""
    read_only = {p for p in schema.get("readOnlyProperties", []) if p.count("/") == 2}
    primary = schema["primaryIdentifier"]
    if not read_only.intersection(primary):
        return [pointer.removeprefix("/properties/") for pointer in primary]
    # The identifier is an ARN, a URL or the like, made of a name that is called after the type.
    kind = type_name.split("::")[2]
    if schema.get("handlers") is not None and "update" not in schema["handlers"]:
        return []
    fitting = (
        name
        for name in names(schema.get("createOnlyProperties"))
        if (part := re.fullmatch(r"(\w*)Name", name)) and kind.endswith(part.group(1))
    )
    return [*fitting, *WITHIN.get(type_name, [])]


def entry(type_name, schema):
    members = {
        "identity": physical_name(type_name, schema),
        "createOnly": names(schema.get("createOnlyProperties")),
        "conditionallyCreateOnly": names(schema.get("conditionalCreateOnlyProperties")),
        "isImmutable": "update" not in schema.get("handlers", {"update": {}}),
        "isDeletedFirst": schema.get("replacementStrategy") == "delete_then_create",
    }
    kept = {key: value for key, value in members.items() if value not in ([], False)}
    return f"  '{type_name}': {json.dumps(kept)},"


provider = json.loads((HOME / "providers" / f"{REGION}.json").read_text())
found = {name: json.loads((HOME / "resources" / f"{provider[name]}.json").read_text()) for name in TYPES}
date = json.loads((HOME / "version.json").read_text())["schema_date"]
TARGET.write_text(
    f"""import type {{ ResourceSchema }} from './resource-schema.ts';

/** Written by toolchain/resource-schemas.py: change that, not this. */
export const RESOURCE_SCHEMAS_SOURCE =
  'AWS resource schemas of {REGION}, {date}, as cfn-lint {version("cfn-lint")} ships them';

export const RESOURCE_SCHEMAS: {{ readonly [type: string]: ResourceSchema }} = {{
"""
    + "\n".join(entry(name, schema) for name, schema in sorted(found.items()))
    + "\n};\n"
)
