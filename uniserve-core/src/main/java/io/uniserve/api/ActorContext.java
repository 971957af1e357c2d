package io.uniserve.api;

import io.uniserve.model.TableMeta;
import java.nio.file.Path;

/**
 * What an actor is made with.
 *
 * @param meta the table's definition
 * @param actor the actor's number
 * @param scratch an empty directory of the actor's own, deleted at every start; its name is unique in the process
 */
public record ActorContext(TableMeta meta, int actor, Path scratch) {
    /** Whether a row's key belongs to this actor. */
    public boolean owns(Row row) {
        return meta.partitioner().actorOf(row.partitionKey()) == actor;
    }
}
