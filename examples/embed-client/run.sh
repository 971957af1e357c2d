#!/bin/sh
# Builds the example against the client's jar of this source tree and runs it against a running cluster:
#   run.sh HOST:PORT[,HOST:PORT] [TABLE]
# Exit status 0: documents were written and read back right; else 1. Needs JDK 17 or newer, nothing else.
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: $0 HOST:PORT[,HOST:PORT] [TABLE]" >&2
  exit 1
fi
here=$(cd "$(dirname "$0")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

client_jar() {
  find "$root/uniserve-client/target" -maxdepth 1 -name 'uniserve-client-*-all.jar' 2>/dev/null | head -n 1
}

jar=$(client_jar)
if [ -z "$jar" ]; then
  echo "embed-client: building uniserve-client ..." >&2
  (cd "$root" && ./mvnw -B -q -pl uniserve-client -am -DskipTests package) </dev/null >&2 || exit 1
  jar=$(client_jar)
fi

# In its own folder, so that it is a build of its own, but with the wrapper and its settings from above.
(cd "$here" && "$root/mvnw" -B -q "-Duniserve.client.jar=$jar" package) </dev/null >&2 || exit 1

status=0
"$java" -Xmx256m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$here/target/embed-client-1.jar:$here/target/lib/*" \
  io.uniserve.example.embed.Main "$@" || status=1
exit $status
