package io.uniserve.simulator.plant.chunk;

import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Registry;
import io.uniserve.simulator.plant.ForwardingRegistry;
import io.uniserve.simulator.plant.Plant;

/** {@link Plant#FIRST_VERSION_IGNORED}: registry of a server that reads maps without the first versions of their actors. */
public final class FirstVersionIgnoredBug extends ForwardingRegistry {
    public FirstVersionIgnoredBug(Registry registry) {
        super(registry);
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        registry.read(
                path,
                outcome -> completion.done(outcome.map(read -> read.value() instanceof TableMap map
                        ? new Versioned(
                                map.withActors(map.actors().stream()
                                        .map(actor -> actor.withFirstVersion(0))
                                        .toList()),
                                read.version())
                        : read)));
    }
}
