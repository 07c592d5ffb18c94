# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# serving.sh - sourced by tests of `sberf serve` and `sberf agent`.

# serves [--as COMMAND] ARG...: starts it, as process $server, which says on serve.err what it says, and waits for its $address.
serves() {
	local command=serve
	[ "$1" != --as ] || { command=$2; shift 2; }
	: >serve.out
	"$SBERF" "$command" "$@" >serve.out 2>serve.err </dev/null &
	server=$!
	also_kill "$server"
	wait_until 60 eval '[ -s serve.out ] || ! kill -0 "$server" 2>/dev/null'
	address=$(cat serve.out)
	[ -n "$address" ] || note "$(cat serve.err)"
	result "$([ -n "$address" ]; echo $?)" "$command says where it answers"
}

# ends SIGNAL: it does, with status 0.
ends() {
	kill -"$1" "$server"
	wait "$server"
}
