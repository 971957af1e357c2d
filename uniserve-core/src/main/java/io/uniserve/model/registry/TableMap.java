package io.uniserve.model.registry;

import io.uniserve.model.ActorState;
import io.uniserve.model.TableName;
import java.util.List;

/** Routing map of one table; {@code actors.get(i).actor() == i}. The version of its znode orders its states. */
public record TableMap(TableName name, long tableId, List<ActorState> actors) implements RegistryValue {
    public TableMap {
        actors = List.copyOf(actors);
    }
}
