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
 * Rows of atomic updates that the engine of this primary is known to reject. The log refuses such a version as soon as possible. Its
 * transaction manager may abort it earlier, and send the same rows under another version, which would fail the engine again. The list is in
 * memory only; after a restart the rejection is found again.
 */
final class RejectedRows {
    private static final int KEPT = 64;

    private final Map<RequestId, String> reasons = new LinkedHashMap<>();
    private long version;
    private String reason = "";

    /** A rejected request of a PREPARE, and the reason. The request is null if the whole version is rejected. */
    record Found(@Nullable RequestId request, String reason) {}

    /** Adds a PREPARE that the engine rejects. Only a PREPARE with the rows of a single request shows which request is to blame. */
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

    /** The known rejection that concerns this PREPARE, or null. */
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
