package io.uniserve.model;

import java.util.List;

/** The routing map of one table; {@code actors.get(i).actor() == i}. Its znode's version orders its states. */
public record TableMap(TableName name, long tableId, List<ActorState> actors) implements RegistryValue {
    public TableMap {
        actors = List.copyOf(actors);
    }
}
