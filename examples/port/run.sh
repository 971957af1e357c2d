#!/bin/sh
# A port in a project of its own:
#   run.sh build             installs Uniserve's artifacts into target/repository, then builds and tests the port against them
#   run.sh query HOST:PORT   makes a table of the port, loads rows and asks, on a cluster whose servers have it
# Exit status 0: built, or answered right; else 1. Needs JDK 17 or newer.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)

# mvn FOLDER ARGS...: what Uniserve installs goes into the folder of this example; plugins and libraries come from the usual one.
mvn() {
  folder=$1
  shift
  (cd "$folder" && "$root/mvnw" -B -q "-Dmaven.repo.local=$here/target/repository" \
    "-Dmaven.repo.local.tail=$HOME/.m2/repository" "$@" </dev/null)
}

case ${1:-} in
  build)
    mvn "$root" -Dmaven.test.skip=true -Dspotless.check.skip=true -pl uniserve-bom,uniserve-testkit -am install
    if [ "$(find "$here/target/repository/io/uniserve/uniserve-ports" -name '*.jar' | wc -l)" != 0 ]; then
      echo "port: the POM uniserve-ports was installed with a jar" >&2
      exit 1
    fi
    mvn "$here" package
    ls "$here/target/ports/h2/lib"
    ;;
  query)
    uniserve=${UNISERVE:-$root/uniserve}
    data=$(mktemp -d)
    trap 'rm -rf "$data"' EXIT
    printf '%s\n' '{"id":"a","n":3}' '{"id":"b","n":10}' '{"id":"c","n":5}' >"$data/rows.jsonl"
    "$uniserve" -b "$2" table create numbers --engine h2 --actors 4 --rf 2
    "$uniserve" -b "$2" load numbers "$data/rows.jsonl"
    "$uniserve" -b "$2" query numbers 'top 2' | tee "$data/top"
    "$uniserve" -b "$2" query numbers above | tee "$data/above"
    [ "$(grep -E '^[0-9]+ [a-z]$' "$data/top" | tr '\n' ',')" = "10 b,5 c," ]
    grep -qx 1 "$data/above"
    ;;
  *)
    echo "usage: $0 build | query HOST:PORT" >&2
    exit 1
    ;;
esac
