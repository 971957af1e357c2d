#!/bin/bash
# Makes a certificate authority, identities and a password for ZooKeeper, for a trial on one machine. What exists already stays as
# it is.
#
#     identities.sh server-1 server-2 coordinator-1 zookeeper:zookeeper user:client
#
# Each name is that of a process, with the prefix "zookeeper:" of a ZooKeeper server of that host name, or with "user:" of a user. It gets
# the folder $IDENTITIES/NAME with certificate.pem, key.pem and trust.pem, a process also zookeeper-password. Processes renew their
# certificates if a coordinator has the authority; those of users end after $DAYS days, and that of ZooKeeper after ten years.
#
# Who has the authority's key can pass for every process: for more than a trial make identities on a machine of its own, as
# docs/manual/deploy.md explains.
UNISERVE="${UNISERVE:-/opt/uniserve/uniserve}"
CLUSTER="${CLUSTER:-uniserve}"
AUTHORITY="${AUTHORITY:-/var/lib/uniserve/authority}"
PASSWORD="${PASSWORD:-/var/lib/uniserve/zookeeper-password}"
IDENTITIES="${IDENTITIES:-/etc/uniserve/identity}"
DAYS="${DAYS:-365}"

set -euo pipefail
umask 077

# issue KIND NAME DAYS OPTIONS...
issue() {
  local kind=$1 name=$2 days=$3 folder=$IDENTITIES/$2
  shift 3
  [ ! -e "$folder" ] || return 0
  rm -rf "$folder.part"
  "$UNISERVE" security issue "$kind" "$name" --days "$days" --authority "$AUTHORITY" --out "$folder.part" "$@"
  mv "$folder.part/$name.pem" "$folder.part/certificate.pem"
  mv "$folder.part/$name.key" "$folder.part/key.pem"
  mv "$folder.part" "$folder"
}

# Gives the process the password of ZooKeeper's nodes.
share_password() {
  local file=$IDENTITIES/$1/zookeeper-password
  [ ! -e "$file" ] || return 0
  cp "$PASSWORD" "$file.part"
  mv "$file.part" "$file"
}

if [ $# -eq 0 ]; then
  echo "identities.sh: give the name of at least one process or user" >&2
  exit 2
fi
if [ ! -e "$AUTHORITY" ]; then
  rm -rf "$AUTHORITY.part"
  "$UNISERVE" security init "$AUTHORITY.part" --cluster "$CLUSTER"
  mv "$AUTHORITY.part" "$AUTHORITY"
fi
if [ ! -e "$PASSWORD" ]; then
  head -c 32 /dev/urandom | base64 >"$PASSWORD.part"
  mv "$PASSWORD.part" "$PASSWORD"
fi
for name in "$@"; do
  case "$name" in
    user:*) issue user "${name#user:}" "$DAYS" ;;
    zookeeper:*) issue zookeeper "${name#zookeeper:}" 3650 --host "${name#zookeeper:}" ;;
    *)
      issue server "$name" "$DAYS"
      share_password "$name"
      ;;
  esac
done
