package io.uniserve.protocol.env;

import io.uniserve.model.ServerId;
import java.util.List;

/**
 * Source of servers: it launches and terminates processes or machines. Every instance carries the cluster's identity and the token of its
 * launch, and {@link #list} returns the instances of this cluster only. Errors mean that the call may have had an effect. Calls return at once
 * and complete on the caller's loop.
 */
public interface ServerProvider {
    /** Name of the provider, for logs. */
    String name();

    /**
     * Launches a server, or returns the instance that an earlier launch with the same token made. A stopped instance starts again. A token
     * whose instance was terminated launches nothing and returns the ended instance.
     */
    void launch(Launch launch, Completion<Instance> completion);

    /** Terminates the instance with this id. Idempotent; the end shows in {@link #list} later. */
    void terminate(String instanceId, Completion<Done> completion);

    /** Lists the instances of the cluster with this identity. Newest changes may be missing for a while. */
    void list(String identity, Completion<List<Instance>> completion);

    /**
     * Request for one server.
     *
     * @param identity identity of the cluster
     * @param token token of the launch
     * @param server id of the new server
     * @param template name of the provider's template; empty for its default
     * @param term term of the leader that asks
     */
    record Launch(String identity, String token, ServerId server, String template, int term) {}

    /**
     * Launched server.
     *
     * @param id the provider's id
     * @param token token of its launch
     */
    record Instance(String id, String token, Status status) {}

    /** State of an instance at the provider. */
    enum Status {
        /** It has not started yet. */
        PENDING,
        RUNNING,
        /** It does not run, and a launch with its token starts it again with its data. */
        STOPPED,
        /** It is gone for ever. */
        ENDED
    }
}
