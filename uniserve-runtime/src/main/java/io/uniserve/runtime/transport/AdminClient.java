package io.uniserve.runtime.transport;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.runtime.proto.AdminGrpc;
import io.uniserve.runtime.proto.AdminMapping;
import io.uniserve.runtime.proto.AdminProto;
import java.util.concurrent.Executor;

/** Requests to the leading coordinator; completions run on the given executor. Safe for use by several threads. */
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
     * Sends a request. NOT_LEADER says that another coordinator leads by now; OUTCOME_UNKNOWN and DEADLINE_EXCEEDED that it
     * may have been done.
     */
    public void call(Address to, AdminRequest request, long timeoutNanos, Completion<AdminReply> completion) {
        new UnaryCall<AdminProto.AdminReplyEnvelope, AdminReply>(
                        to, false, AdminMapping::fromProto, executor, completion)
                .start(
                        channels,
                        AdminGrpc.getCallMethod(),
                        AdminMapping.toProto(cluster.orEmpty(), request),
                        timeoutNanos);
    }
}
