package io.uniserve.protocol.replica;

import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of atomic updates that this server's engine, while it led the actor, certainly cannot prepare. The version whose
 * rows they were is refused in the log as soon as it can be; its driver may give that up before, and come with the same rows
 * under another one, which would fail the engine again. In memory only: whoever forgets finds out anew.
 */
final class RejectedRows {
    private static final int KEPT = 64;

    private final Map<RequestId, String> reasons = new LinkedHashMap<>();
    private long version;
    private String reason = "";

    /** What is refused of a PREPARE, and why. */
    record Found(@Nullable RequestId request, String reason) {}

    /** The engine fails for this PREPARE; whose rows they are is certain where it has those of one request only. */
    void add(LogEntry prepare, String why) {
        version = prepare.version();
        reason = why;
        List<BatchRows> batches = BatchRows.LIST.decode(prepare.rows());
        if (batches.size() == 1) {
            reasons.put(batches.get(0).request(), why);
        }
        if (reasons.size() > KEPT) {
            Iterator<RequestId> oldest = reasons.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Null where nothing is known against it. */
    @Nullable
    Found in(Prepare prepare) {
        for (BatchRows batch : prepare.batches()) {
            String why = reasons.get(batch.request());
            if (why != null) {
                return new Found(batch.request(), why);
            }
        }
        return prepare.version() == version ? new Found(null, reason) : null;
    }
}
