#!/bin/bash
# User data of an instance of a ZooKeeper ensemble, with TLS between its servers and to clients. Needs Debian 12. Set these before use:
# Number of this instance, from 1.
ID="${ID:-1}"
# Addresses of all instances, by number, separated by spaces. Their names are zk1, zk2, ...
MEMBERS="${MEMBERS:-127.0.0.1}"
# Required: folder in a bucket with certificate.pem, key.pem and trust.pem for the names of all instances, such as s3://BUCKET/PREFIX,
# which the instance's role may read.
IDENTITY="${IDENTITY:-}"

set -euo pipefail
shopt -s inherit_errexit
METADATA=${METADATA:-http://169.254.169.254}
ROOT=${ROOT:-}

# Copies one file of the identity. The role of a new instance may need some seconds until it works.
fetch_file() {
  local from=$IDENTITY/$1 to=$ROOT/etc/zookeeper/identity/$1 attempt
  for attempt in 1 2 3 4 5 6; do
    [ "$attempt" = 1 ] || sleep 5
    if aws s3 cp --only-show-errors "$from" "$to"; then
      if ! grep -q -e '-----BEGIN ' "$to"; then
        echo "IDENTITY: $from is no PEM file" >&2
        exit 1
      fi
      return
    fi
  done
  echo "IDENTITY: cannot read $from: put the file there, and let the role of the instance read it (s3:GetObject)" >&2
  exit 1
}

fetch_identity() {
  local token
  token=$(curl -sf --retry 10 --retry-connrefused -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 600' "$METADATA/latest/api/token")
  AWS_DEFAULT_REGION=$(curl -sf --retry 10 -H "X-aws-ec2-metadata-token: $token" "$METADATA/latest/meta-data/placement/region")
  export AWS_DEFAULT_REGION
  install -d -m 0700 "$ROOT/etc/zookeeper/identity"
  (
    umask 077
    fetch_file certificate.pem
    fetch_file key.pem
    fetch_file trust.pem
    # ZooKeeper wants key and certificate in one file.
    cat "$ROOT/etc/zookeeper/identity/key.pem" "$ROOT/etc/zookeeper/identity/certificate.pem" >"$ROOT/etc/zookeeper/identity/keystore.pem"
  )
  chown -R zookeeper:zookeeper "$ROOT/etc/zookeeper/identity"
}

# The certificates have the names of the instances. cloud-init may write /etc/hosts anew at each boot, from its template.
write_hosts() {
  local file member number
  for file in "$ROOT/etc/hosts" "$ROOT"/etc/cloud/templates/hosts.*.tmpl; do
    [ -f "$file" ] || continue
    number=0
    for member in $MEMBERS; do
      number=$((number + 1))
      echo "$member zk$number" >>"$file"
    done
  done
}

write_settings() {
  local number=0 member stores=/etc/zookeeper/identity
  {
    echo 'tickTime=500'
    echo 'initLimit=20'
    echo 'syncLimit=10'
    echo 'dataDir=/var/lib/zookeeper'
    echo 'maxClientCnxns=0'
    echo 'autopurge.snapRetainCount=5'
    echo 'autopurge.purgeInterval=1'
    echo '4lw.commands.whitelist=srvr,ruok'
    echo 'admin.enableServer=false'
    # Callers need a certificate of an authority in trust.pem. No port is without TLS.
    echo 'secureClientPort=2281'
    echo 'serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory'
    echo 'ssl.clientAuth=need'
    echo "ssl.keyStore.location=$stores/keystore.pem"
    echo "ssl.trustStore.location=$stores/trust.pem"
    echo 'sslQuorum=true'
    echo "ssl.quorum.keyStore.location=$stores/keystore.pem"
    echo "ssl.quorum.trustStore.location=$stores/trust.pem"
    for member in $MEMBERS; do
      number=$((number + 1))
      echo "server.$number=zk$number:2888:3888"
    done
  } >"$ROOT/etc/zookeeper/conf/zoo.cfg"
  # The class path of Debian's ZooKeeper lacks two jars of Netty that TLS needs.
  echo 'CLASSPATH="$CLASSPATH:/usr/share/java/netty-codec.jar:/usr/share/java/netty-resolver.jar"' \
    >>"$ROOT/etc/zookeeper/conf/environment"
  # /var/lib/zookeeper/myid of the package is a link to this file.
  echo "$ID" >"$ROOT/etc/zookeeper/conf/myid"
}

if [[ "$IDENTITY" != s3://?*/?* || "$IDENTITY" = */ ]]; then
  echo "IDENTITY is \"$IDENTITY\": set it to a folder in a bucket, s3://BUCKET/PREFIX, with certificate.pem, key.pem and trust.pem" \
    "from uniserve security issue zookeeper NAME --host zk1 --host zk2 ..." >&2
  exit 1
fi
# The package starts ZooKeeper with settings of one server, unless a policy forbids it.
printf '#!/bin/sh\nexit 101\n' >"$ROOT/usr/sbin/policy-rc.d"
chmod +x "$ROOT/usr/sbin/policy-rc.d"
apt-get -o DPkg::Lock::Timeout=300 update -qq
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq zookeeperd awscli curl
rm "$ROOT/usr/sbin/policy-rc.d"
fetch_identity
write_hosts
write_settings
systemctl enable zookeeper
systemctl restart zookeeper
