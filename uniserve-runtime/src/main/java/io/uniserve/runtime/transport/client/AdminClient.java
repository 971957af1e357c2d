package io.uniserve.runtime.transport.client;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.runtime.proto.AdminGrpc;
import io.uniserve.runtime.proto.AdminMapping;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.transport.ClusterIdentity;
import java.util.concurrent.Executor;

/** Client of the leading coordinator; completions run on the given executor. Thread-safe. */
public final class AdminClient {
    private final ChannelPool channels;
    private final ClusterIdentity cluster;
    private final Executor executor;

    public AdminClient(ChannelPool channels, ClusterIdentity cluster, Executor executor) {
        this.channels = channels;
        this.cluster = cluster;
        this.executor = executor;
    }

    /**
     * Sends a request. NOT_LEADER means that another coordinator leads now; after OUTCOME_UNKNOWN and DEADLINE_EXCEEDED the change
     * may have been made.
     */
    public void call(Address to, AdminRequest request, long timeoutNanos, Completion<AdminReply> completion) {
        new UnaryCall<AdminProto.AdminReplyEnvelope, AdminReply>(
                        to, false, AdminMapping::fromProto, executor, completion)
                .start(
                        channels,
                        AdminGrpc.getCallMethod(),
                        AdminMapping.toProto(cluster.nameOrEmpty(), request),
                        timeoutNanos);
    }
}
