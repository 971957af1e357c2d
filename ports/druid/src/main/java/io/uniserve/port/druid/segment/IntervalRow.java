package io.uniserve.port.druid.segment;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import org.apache.druid.java.util.common.granularity.Granularities;
import org.apache.druid.java.util.common.granularity.Granularity;
import org.joda.time.Interval;
import org.joda.time.chrono.ISOChronology;

/**
 * Row of a deletion: the interval whose rows are dropped, from a document's field {@code interval}. It consists of whole segment
 * intervals, because Druid drops segments and not single rows.
 */
record IntervalRow(Interval interval) {
    /** Name of the field. */
    static final String FIELD = "interval";

    /** Fails with INVALID_ROW if the interval is missing, malformed, empty, or not aligned with the table's segments. */
    static IntervalRow of(Document row, Granularity granularity) {
        Object text = row.fields().get(FIELD);
        if (!(text instanceof String iso)) {
            throw invalid("a deletion needs field \"interval\", such as \"2024-01-01/2024-02-01\"");
        }
        Interval interval;
        try {
            interval = new Interval(iso, ISOChronology.getInstanceUTC());
        } catch (IllegalArgumentException e) {
            throw invalid("field \"interval\" is \"" + PrintableText.line(iso)
                    + "\": use an interval such as \"2024-01-01/2024-02-01\"");
        }
        if (interval.toDurationMillis() == 0) {
            throw invalid("field \"interval\" is " + PrintableText.line(iso) + ", which is empty: set a later end");
        }
        boolean aligned = Granularities.ALL.equals(granularity)
                ? granularity.bucket(interval.getStart()).equals(interval)
                : granularity.bucketStart(interval.getStart()).equals(interval.getStart())
                        && granularity.bucketStart(interval.getEnd()).equals(interval.getEnd());
        if (!aligned) {
            throw invalid("field \"interval\" is " + PrintableText.line(iso)
                    + ": let it start and end at bounds of segmentGranularity " + granularity);
        }
        return new IntervalRow(interval);
    }

    private static UniserveException invalid(String why) {
        return new UniserveException(ErrorCode.INVALID_ROW, why);
    }
}
