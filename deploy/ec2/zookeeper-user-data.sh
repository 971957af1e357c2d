#!/bin/bash
# User data of an instance of a ZooKeeper ensemble. Needs Debian 12. Set these before use:
# Number of this instance, from 1.
ID="${ID:-1}"
# Addresses of all instances, by number, separated by spaces.
MEMBERS="${MEMBERS:-127.0.0.1}"

set -euo pipefail
ROOT=${ROOT:-}

# The package starts ZooKeeper with settings of one server, unless a policy forbids it.
printf '#!/bin/sh\nexit 101\n' >"$ROOT/usr/sbin/policy-rc.d"
chmod +x "$ROOT/usr/sbin/policy-rc.d"
apt-get -o DPkg::Lock::Timeout=300 update -qq
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq zookeeperd
rm "$ROOT/usr/sbin/policy-rc.d"
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
} >"$ROOT/etc/zookeeper/conf/zoo.cfg"
# /var/lib/zookeeper/myid of the package is a link to this file.
echo "$ID" >"$ROOT/etc/zookeeper/conf/myid"
systemctl enable zookeeper
systemctl restart zookeeper
