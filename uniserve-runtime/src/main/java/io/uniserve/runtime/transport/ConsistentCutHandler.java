package io.uniserve.runtime.transport;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.ConsistentCut;
import java.util.List;

/** Answers what tables were as of one moment. Called on a transport thread: must not block. */
@FunctionalInterface
public interface ConsistentCutHandler {
    /** One that has no tables. */
    ConsistentCutHandler NONE = (tables, completion) -> {
        throw new UniserveException(ErrorCode.UNSUPPORTED, "this server answers no reads of one moment");
    };

    /** Handles the request; the completion may be called once, on any thread. */
    void cut(List<TableName> tables, Completion<ConsistentCut> completion);
}
