package io.uniserve.runtime.transport;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.protocol.message.VersionedRead;
import java.util.concurrent.Executor;

/** Answers reads. Called on a transport thread: must not block. */
@FunctionalInterface
public interface ReadHandler {
    /**
     * Handles the request; the completion may be called once, on any thread. The returned handle stops the work when the
     * caller has gone or the deadline has passed; it may be called on any thread, after the completion too.
     */
    Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion);

    /** The same on behalf of a client of this name, for those who share fairly. */
    default ReadHandler of(String client) {
        return this;
    }

    /**
     * The same for a caller that lends a thread: the work may be given to {@code lent}, which runs it soon, and not before
     * this call returns.
     */
    default Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion, Executor lent) {
        return read(request, completion);
    }

    /** The same for a read of one version. */
    default Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion) {
        throw new UniserveException(ErrorCode.UNSUPPORTED, "this server answers no reads of one version");
    }

    /** A read of one version for a caller that lends a thread, as above. */
    default Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion, Executor lent) {
        return read(request, completion);
    }
}
