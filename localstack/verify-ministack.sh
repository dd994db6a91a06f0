#!/usr/bin/env bash
# Deploys the app to ministack, drives its schedules, looks at the runs, and compares DynamoDB engines. Needs Python 3
# with venv, and what `npm ci` installs. Leaves nothing behind; stops only what it started.
#
# usage: localstack/verify-ministack.sh [number of DynamoDB calls to compare, by default 2000]
# MINISTACK names one that is installed already; without it, one is installed for the moment.
set -uo pipefail
cd "$(dirname "$0")/.."

calls=${1:-2000}
export PATH="$PWD/node_modules/.bin:$PATH"
work=$(mktemp -d)
ministack=''
drive=''
passed=0
failed=0

# Each was started as a group of its own, and takes with it what it started.
stop() {
  if [ -n "$1" ]; then
    kill -- "-$1" 2>/dev/null
    wait "$1" 2>/dev/null
  fi
}

cleanup() {
  stop "$drive"
  stop "$ministack"
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

step() {
  local name=$1 start=$SECONDS
  shift
  if "$@" >"$work/step.log" 2>&1; then
    passed=$((passed + 1))
    printf 'ok    %4ds  %s\n' $((SECONDS - start)) "$name"
    grep -E '^ok ' "$work/step.log" | sed 's/^/                /'
  else
    failed=$((failed + 1))
    printf 'FAIL  %4ds  %s\n' $((SECONDS - start)) "$name"
    tail -n 60 "$work/step.log" | sed 's/^/      | /'
  fi
}

finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
  exit
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

program=${MINISTACK:-$work/venv/bin/ministack}
install() {
  if [ -n "${MINISTACK:-}" ]; then return 0; fi
  python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet --requirement localstack/requirements.txt
}

answers() {
  for _ in $(seq 100); do
    if node -e "fetch('$AWS_ENDPOINT_URL/_ministack/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"; then
      return 0
    fi
    sleep 0.2
  done
  cat "$work/ministack.log"
  return 1
}

# The whole time beside the smoke test's own drive and ministack's own firing: three that fire, one run each.
drives_too() {
  kill -0 "$drive" && grep -q '"type":"watching"' "$work/drive.log" && grep -q '"type":"fired"' "$work/drive.log"
}

step 'ministack installs' install
[ "$failed" -eq 0 ] || finish

# The CDK CLI remembers accounts by key in the home folder.
export HOME="$work"
port=$(free_port)
export AWS_ENDPOINT_URL="http://127.0.0.1:$port"
set -m
BIND_HOST=127.0.0.1 GATEWAY_PORT=$port IOT_MTLS_ENABLED=0 "$program" >"$work/ministack.log" 2>&1 &
ministack=$!
set +m
step 'ministack answers' answers
[ "$failed" -eq 0 ] || finish

step 'the app deploys with the plain CDK CLI' node localstack/deploy.ts
set -m
node bin/belfry.ts drive --json >"$work/drive.log" 2>&1 &
drive=$!
set +m
step 'jobs fire there, once each' node localstack/smoke.ts
step 'belfry drive fired them too' drives_too
step 'belfry doctor finds nothing wrong' node bin/belfry.ts doctor --port "$(free_port)"
step "$calls DynamoDB calls give the same answers here and there" node localstack/differential.ts --calls "$calls"
finish
