#!/bin/bash
# User data of an instance of a ZooKeeper ensemble. Needs Debian 12. Set these before use:
# Number of this instance, from 1.
ID="${ID:-1}"
# Addresses of all instances, by number, separated by spaces.
MEMBERS="${MEMBERS:-127.0.0.1}"

set -euo pipefail
ROOT=${ROOT:-}

# Settings come first, so that the package starts with them.
mkdir -p "$ROOT/etc/zookeeper/conf_uniserve" "$ROOT/var/lib/zookeeper"
{
  echo 'tickTime=500'
  echo 'initLimit=20'
  echo 'syncLimit=10'
  echo 'dataDir=/var/lib/zookeeper'
  echo 'clientPort=2181'
  echo 'maxClientCnxns=0'
  echo 'autopurge.snapRetainCount=5'
  echo 'autopurge.purgeInterval=1'
  echo '4lw.commands.whitelist=srvr,ruok'
  number=0
  for member in $MEMBERS; do
    number=$((number + 1))
    echo "server.$number=$member:2888:3888"
  done
} >"$ROOT/etc/zookeeper/conf_uniserve/zoo.cfg"
apt-get -o DPkg::Lock::Timeout=300 update -qq
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq zookeeperd
cp "$ROOT/etc/zookeeper/conf_uniserve/zoo.cfg" "$ROOT/etc/zookeeper/conf/zoo.cfg"
echo "$ID" >"$ROOT/etc/zookeeper/conf/myid"
systemctl enable zookeeper
systemctl restart zookeeper
