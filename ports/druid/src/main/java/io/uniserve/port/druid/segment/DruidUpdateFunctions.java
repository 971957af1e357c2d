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

    /** Replaces all rows in the segment intervals of the given rows by these, in tables of one actor. */
    public static final EventualUpdate<DruidActor, Document> REPLACE = EventualUpdate.of(
            "druid.replace@1",
            DruidActor.class,
            Document.CODEC,
            (actor, rows) -> {
                checkOneActor(actor, "druid.replace@1");
                actor.check(rows);
            },
            (actor, rows) -> actor.replace(rows, false));

    /** The same for tables of several actors: the rows go to each actor, which stores its own. */
    public static final EventualUpdate<DruidActor, Document> REPLACE_EVERYWHERE = EventualUpdate.of(
            "druid.replace-everywhere@1",
            DruidActor.class,
            Document.CODEC,
            DruidActor::check,
            (actor, rows) -> actor.replace(rows, true));

    /** Deletes all rows in intervals of segments, in tables of one actor. */
    public static final EventualUpdate<DruidActor, Document> DELETE = delete("druid.delete@1");

    /** The same for tables of several actors: the intervals go to each actor. */
    public static final EventualUpdate<DruidActor, Document> DELETE_EVERYWHERE = delete("druid.delete-everywhere@1");

    /** All functions; the first one is the default of loads. */
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

    /** A row goes to one actor, but an interval's rows are in all of them. */
    private static void checkOneActor(DruidActor actor, String function) {
        Partitioner partitioner = actor.context().meta().partitioner();
        if (partitioner.actors() != 1) {
            String several =
                    partitioner instanceof Partitioner.Time ? "chunks of time" : partitioner.actors() + " actors";
            throw UniserveException.unsupported(
                    function + " on a table of " + several + " whose key field is its unique key; create the table with"
                            + " -O unique-key=FIELD, of a field that is not the key field, so that rows go to all actors");
        }
    }
}
