package io.uniserve.simulator.plant.chunk;

import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.simulator.plant.ForwardingRegistry;
import io.uniserve.simulator.plant.Plant;
import java.util.Optional;

/**
 * {@link Plant#FIRST_VERSION_IGNORED}: registry of a server that reads maps without the first versions of their actors. The server also gets
 * no transaction log from others. No rule depends on these copies, and managers then use versions that others have aborted.
 */
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

    /** The request without the transaction log; empty if it is nothing else. */
    public static Optional<PeerRequest> withoutLog(PeerRequest request) {
        if (request instanceof PeerRequest.Decide decide) {
            return Optional.of(new PeerRequest.Decide(decide.table(), decide.key(), decide.version(), decide.commit()));
        }
        return request instanceof PeerRequest.PublishTransactionLog ? Optional.empty() : Optional.of(request);
    }
}
