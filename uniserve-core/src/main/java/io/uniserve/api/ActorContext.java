package io.uniserve.api;

import io.uniserve.model.registry.TableMeta;
import java.nio.file.Path;

/**
 * Definition and scratch directory of a new actor, passed to {@link ActorFactory}. Immutable.
 *
 * <pre>{@code
 * public LuceneActor create(ActorContext context) {
 *     return new LuceneActor(context.scratch(), context.meta().options());
 * }
 * }</pre>
 *
 * @param meta the table's definition
 * @param actor the actor's number: from 0 to the table's number of actors minus 1, or one of the numbers of a TIME table
 * @param scratch an empty directory that only this actor uses; the host empties it at every start, and its name is unique in the process
 */
public record ActorContext(TableMeta meta, int actor, Path scratch) {
    /** Returns whether the row belongs to this actor. */
    public boolean owns(Row row) {
        return row.actor(meta.partitioner()) == actor;
    }
}
