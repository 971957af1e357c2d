package io.uniserve.runtime.transport.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import java.util.concurrent.Executor;

/** Handler of reads. Called on a transport thread: must not block. */
@FunctionalInterface
public interface ReadHandler {
    /**
     * Handles the request; the completion may be called once, on any thread. The returned handle stops the work after the caller has
     * disconnected or the deadline has passed. It may be called on any thread, and after the completion too.
     */
    Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion);

    /** Returns the handler on behalf of a client of this name, for fair sharing of threads. */
    default ReadHandler onBehalfOf(String client) {
        return this;
    }

    /**
     * Handles the request of a caller that provides a thread: the work may be submitted to {@code lent}. That executor runs it soon, but
     * not before this call returns.
     */
    default Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion, Executor lent) {
        return read(request, completion);
    }

    /** Handles a read of one version. */
    default Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion) {
        throw new UniserveException(ErrorCode.UNSUPPORTED, "this server does not support reads of one version");
    }

    /** Handles a read of one version of a caller that provides a thread, as above. */
    default Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion, Executor lent) {
        return read(request, completion);
    }
}
