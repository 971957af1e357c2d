#!/bin/bash
# Makes a certificate authority and identities, for a trial on one machine. What exists already stays as it is.
#
#     identities.sh server-1 server-2 coordinator-1 user:client
#
# Each name is that of a process, or of a user with the prefix "user:". It gets the folder $IDENTITIES/NAME with certificate.pem,
# key.pem and trust.pem. Who has the authority's key can pass for every process: for more than a trial make identities on a machine
# of its own, as docs/manual/deploy.md explains.
UNISERVE="${UNISERVE:-/opt/uniserve/uniserve}"
CLUSTER="${CLUSTER:-uniserve}"
AUTHORITY="${AUTHORITY:-/var/lib/uniserve/authority}"
IDENTITIES="${IDENTITIES:-/etc/uniserve/identity}"
DAYS="${DAYS:-365}"

set -euo pipefail

issue() {
  local kind=$1 name=$2 folder=$IDENTITIES/$2
  [ ! -e "$folder" ] || return 0
  rm -rf "$folder.part"
  "$UNISERVE" security issue "$kind" "$name" --days "$DAYS" --authority "$AUTHORITY" --out "$folder.part"
  mv "$folder.part/$name.pem" "$folder.part/certificate.pem"
  mv "$folder.part/$name.key" "$folder.part/key.pem"
  mv "$folder.part" "$folder"
}

if [ $# -eq 0 ]; then
  echo "identities.sh: give the name of at least one process or user" >&2
  exit 2
fi
[ -e "$AUTHORITY/authority.key" ] || "$UNISERVE" security init "$AUTHORITY" --cluster "$CLUSTER"
for name in "$@"; do
  case "$name" in
    user:*) issue user "${name#user:}" ;;
    *) issue server "$name" ;;
  esac
done
