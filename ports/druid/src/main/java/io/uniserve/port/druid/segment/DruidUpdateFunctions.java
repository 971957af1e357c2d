package io.uniserve.port.druid.segment;

import io.uniserve.api.Document;
import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import java.util.List;
import org.apache.druid.java.util.common.granularity.Granularity;

/** The update functions of the Druid port. */
public final class DruidUpdateFunctions {
    /** Adds rows, with roll-up. */
    public static final EventualUpdate<DruidActor, Document> APPEND = EventualUpdate.of(
            "druid.append@1", DruidActor.class, Document.CODEC, DruidActor::check, DruidActor::append);

    /** Replaces all rows in the segment intervals of the given rows, in tables of one actor. */
    public static final EventualUpdate<DruidActor, Document> REPLACE = EventualUpdate.of(
            "druid.replace@1",
            DruidActor.class,
            Document.CODEC,
            (actor, rows) -> {
                checkOneActor(actor, "druid.replace@1");
                actor.check(rows);
            },
            (actor, rows) -> actor.replace(rows, false));

    /** Form of {@link #REPLACE} for tables of several actors: all rows go to each actor, which stores those that it owns. */
    public static final EventualUpdate<DruidActor, Document> REPLACE_EVERYWHERE = EventualUpdate.of(
            "druid.replace-everywhere@1",
            DruidActor.class,
            Document.CODEC,
            DruidActor::check,
            (actor, rows) -> actor.replace(rows, true));

    /** Deletes all rows in intervals that consist of whole segment intervals, in tables of one actor. */
    public static final EventualUpdate<DruidActor, Document> DELETE = delete("druid.delete@1");

    /** Form of {@link #DELETE} for tables of several actors: the intervals go to each actor. */
    public static final EventualUpdate<DruidActor, Document> DELETE_EVERYWHERE = delete("druid.delete-everywhere@1");

    /** All functions; the first one is the default of {@code uniserve load}. */
    public static final List<UpdateFunction<?, ?>> ALL =
            List.of(APPEND, REPLACE, REPLACE_EVERYWHERE, DELETE, DELETE_EVERYWHERE);

    private DruidUpdateFunctions() {}

    private static EventualUpdate<DruidActor, Document> delete(String id) {
        return EventualUpdate.of(
                id,
                DruidActor.class,
                Document.CODEC,
                (actor, rows) -> {
                    if (!BroadcastUpdate.isBroadcast(id)) {
                        checkOneActor(actor, id);
                    }
                    intervals(actor, rows);
                },
                (actor, rows) -> actor.delete(intervals(actor, rows)));
    }

    private static List<IntervalRow> intervals(DruidActor actor, List<Document> rows) {
        Granularity granularity = actor.schema().segmentGranularity();
        return rows.stream().map(row -> IntervalRow.of(row, granularity)).toList();
    }

    /** Fails with UNSUPPORTED if the table has several actors: this update came to one of them, but an interval's rows may be in all. */
    private static void checkOneActor(DruidActor actor, String function) {
        Partitioner partitioner = actor.context().meta().partitioner();
        if (partitioner.actors() != 1) {
            String several =
                    partitioner instanceof Partitioner.Time ? "chunks of time" : partitioner.actors() + " actors";
            throw UniserveException.unsupported(
                    function + " in one actor of a table of " + several + ": rows of an interval may be in all of them."
                            + " Create the table with -O unique-key=FIELD, where FIELD is not the key field; then"
                            + " updates go to all actors");
        }
    }
}
