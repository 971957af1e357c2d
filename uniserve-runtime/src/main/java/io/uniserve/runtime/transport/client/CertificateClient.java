package io.uniserve.runtime.transport.client;

import com.google.protobuf.ByteString;
import io.uniserve.model.Address;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.protocol.env.Completion;
import io.uniserve.runtime.proto.CertificatesGrpc;
import io.uniserve.runtime.proto.CertificatesProto;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.certificate.CertificateMapping;
import java.security.PublicKey;

/** Requests about certificates of other processes. Thread-safe. */
public final class CertificateClient {
    private final ChannelPool channels;
    private final ClusterIdentity cluster;

    /** Creates a client over these connections. */
    public CertificateClient(ChannelPool channels, ClusterIdentity cluster) {
        this.channels = channels;
        this.cluster = cluster;
    }

    /** Requests the state of a process's certificate. Completes on a transport thread. */
    public void describe(Address to, long timeoutNanos, Completion<CertificateStatus> completion) {
        new UnaryCall<CertificatesProto.CertificateStatus, CertificateStatus>(
                        to, true, CertificateMapping::fromProto, Runnable::run, completion)
                .start(
                        channels,
                        CertificatesGrpc.getDescribeMethod(),
                        CertificatesProto.DescribeCertificateCall.newBuilder()
                                .setCluster(cluster.nameOrEmpty())
                                .build(),
                        timeoutNanos);
    }

    /** Requests another certificate for the identity of this process or user: certificates in PEM, the leaf first. Completes on a transport thread. */
    public void renew(Address to, PublicKey key, long timeoutNanos, Completion<String> completion) {
        new UnaryCall<CertificatesProto.RenewReply, String>(
                        to, true, CertificatesProto.RenewReply::getChain, Runnable::run, completion)
                .start(
                        channels,
                        CertificatesGrpc.getRenewMethod(),
                        CertificatesProto.RenewCall.newBuilder()
                                .setCluster(cluster.nameOrEmpty())
                                .setPublicKey(ByteString.copyFrom(key.getEncoded()))
                                .build(),
                        timeoutNanos);
    }
}
