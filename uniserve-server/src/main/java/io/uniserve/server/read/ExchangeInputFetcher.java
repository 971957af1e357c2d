package io.uniserve.server.read;

import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.MapOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.protocol.exchange.ScatterManifest;
import io.uniserve.server.exchange.ExchangeHost;
import io.uniserve.server.exchange.GatherInputs;
import io.uniserve.server.read.session.PinnedActor;
import io.uniserve.server.read.session.PinnedActorProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Fetcher of the chunks for reads with a gather or a map. It occupies no worker until all chunks have arrived. Thread-safe. */
final class ExchangeInputFetcher {
    private final PinnedActorProvider actors;
    private final ExchangeHost exchange;
    private final Supplier<Optional<Routing>> routing;

    ExchangeInputFetcher(PinnedActorProvider actors, ExchangeHost exchange, Supplier<Optional<Routing>> routing) {
        this.actors = actors;
        this.routing = routing;
        this.exchange = exchange;
    }

    /** True if the actor is on this server and the operator needs chunks. */
    boolean needsChunks(String operator, ReplicaKey first) {
        Optional<PinnedActor> pinned = actors.pin(first);
        if (pinned.isEmpty()) {
            return false;
        }
        try (PinnedActor actor = pinned.get()) {
            return actor.operator(operator)
                    .filter(found -> found instanceof GatherOperator<?, ?, ?> || found instanceof MapOperator<?, ?>)
                    .isPresent();
        }
    }

    /**
     * Fetches the chunks that the actors need.
     *
     * @param user user of the read; empty for work without one
     * @param arrived receives the chunks, which must be closed when the read ends
     * @param then continues the read
     * @param refuse ends the read with an error
     * @return cancels the fetch and ends the read
     */
    Timers.Cancel fetch(
            Bytes parameters,
            String user,
            List<Integer> wanted,
            long remainingNanos,
            Consumer<GatherInputs> arrived,
            Runnable then,
            Consumer<UniserveException> refuse) {
        GatherEnvelope frame;
        try {
            frame = GatherEnvelope.CODEC.decode(parameters);
            wanted.forEach(actor -> checkSlot(frame, actor));
            checkServers(frame);
        } catch (UniserveException e) {
            refuse.accept(
                    new UniserveException(ErrorCode.INVALID_ARGUMENT, "parameters of a gather: " + e.reason(), e));
            return () -> {};
        }
        AtomicBoolean ended = new AtomicBoolean();
        GatherInputs gatherInputs = exchange.fetchInputs(frame, user, wanted, remainingNanos, outcome -> {
            if (!ended.compareAndSet(false, true)) {
                return;
            }
            if (outcome instanceof Outcome.Err<GatherInputs> failed) {
                refuse.accept(failed.error());
            } else {
                arrived.accept(outcome.value());
                then.run();
            }
        });
        return () -> {
            gatherInputs.cancel();
            if (ended.compareAndSet(false, true)) {
                refuse.accept(ReadTaskContext.gone());
            }
        };
    }

    /** Security check: chunks are fetched only from servers of this cluster, whatever addresses the client sends. */
    private void checkServers(GatherEnvelope frame) {
        Set<Address> known = new HashSet<>();
        known.add(exchange.self());
        routing.get().ifPresent(map -> map.servers().forEach(server -> known.add(server.address())));
        for (GatherEnvelope.Input input : frame.inputs()) {
            for (ScatterManifest scatterManifest : input.manifests()) {
                if (!known.contains(scatterManifest.server())) {
                    throw UniserveException.invalid(
                            "this server knows no server of its cluster with the address " + scatterManifest.server());
                }
            }
        }
    }

    private static void checkSlot(GatherEnvelope frame, int actor) {
        if (!frame.actors().contains(actor)) {
            throw UniserveException.invalid("actor " + actor + " has no slot in them");
        }
    }
}
