package io.uniserve.port.druid.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.druid.runtime.DruidLimits;
import java.util.List;
import org.apache.druid.query.Query;
import org.apache.druid.query.scan.ScanResultValue;

/** Limit on the bytes of a scan at an actor. All its rows are in memory before the actor replies. Used by one thread. */
final class ScanLimit {
    private long bytes;

    /** Adds a batch of rows; other results do not count. Fails with TOO_LARGE above the limit. */
    void add(Query<?> query, Object result) {
        if (!(result instanceof ScanResultValue batch)) {
            return;
        }
        bytes += ResultSizes.estimate(query, List.of(batch.getEvents()));
        if (bytes > DruidLimits.SCAN_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "scan has more than " + DruidLimits.SCAN_BYTES_MAX
                            + " bytes of rows at an actor; use a limit, a filter, fewer columns or shorter intervals");
        }
    }
}
