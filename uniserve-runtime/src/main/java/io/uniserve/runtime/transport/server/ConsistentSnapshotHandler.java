package io.uniserve.runtime.transport.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import java.util.List;

/** Handler of requests for snapshots of several tables. Called on a transport thread: must not block. */
@FunctionalInterface
public interface ConsistentSnapshotHandler {
    /** Handler of a server without such snapshots. */
    ConsistentSnapshotHandler NONE = (tables, completion) -> {
        throw new UniserveException(ErrorCode.UNSUPPORTED, "this server has no snapshots of several tables");
    };

    /** Handles the request; the completion may be called once, on any thread. */
    void takeSnapshot(List<TableName> tables, Completion<ConsistentSnapshot> completion);
}
