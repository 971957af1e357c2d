package io.uniserve.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.message.ExchangeRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.server.ServerStateMachine;
import io.uniserve.runtime.engine.PortEngineHost;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.transport.server.ConsistentSnapshotHandler;
import io.uniserve.runtime.transport.server.PeerHandler;
import io.uniserve.runtime.transport.server.RoutingBroadcaster;
import io.uniserve.runtime.transport.server.UpdateRpcHandler;
import io.uniserve.server.exchange.ExchangeHost;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Dispatcher of requests from transport threads to the state machine's loop. If the loop's queue is full, it rejects them with
 * RESOURCE_EXHAUSTED.
 */
final class ServerHandlers implements PeerHandler, UpdateRpcHandler, ConsistentSnapshotHandler {
    /** Wait after the registry has answered: the routing board collects changes for this long before it publishes a map. */
    private static final long BOARD_DELAY_NANOS = 15_000_000;

    private final EventLoop loop;
    private final ServerStateMachine machine;
    private final PortEngineHost engine;
    private final RoutingBroadcaster hub;
    private final ReadLoadMeter rates;
    private final ExchangeHost exchange;
    private final Set<TableName> refreshing = ConcurrentHashMap.newKeySet();

    ServerHandlers(
            ServerResources resources,
            ServerStateMachine machine,
            RoutingBroadcaster hub,
            ReadLoadMeter rates,
            ExchangeHost exchange) {
        this.exchange = exchange;
        this.loop = resources.loop;
        this.machine = machine;
        this.engine = resources.engine;
        this.hub = hub;
        this.rates = rates;
    }

    @Override
    public void update(UpdateRequest request, Completion<UpdateReply> completion) {
        runOnLoop(completion, () -> machine.onUpdate(request, completion));
    }

    @Override
    public void takeSnapshot(List<TableName> tables, Completion<ConsistentSnapshot> completion) {
        runOnLoop(completion, () -> machine.readConsistentCut(tables, completion));
    }

    @Override
    public void call(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof ExchangeRequest) {
            exchange.handlePeerRequest(request, completion);
        } else if (request instanceof PeerRequest.ValidateTable validate) {
            runOnLoop(
                    completion,
                    () -> machine.onPeer(request, checked -> validateInPort(validate, checked, completion)));
        } else if (request instanceof PeerRequest.UpdateTableDefinition) {
            runOnLoop(
                    completion,
                    () -> machine.onPeer(request, learned -> {
                        machine.routing().ifPresent(hub::publish); // the next query is planned with the new table
                        completion.done(learned);
                    }));
        } else if (request instanceof PeerRequest.ReportLoad) {
            runOnLoop(completion, () -> machine.onPeer(request, reported -> completion.done(addRates(reported))));
        } else {
            runOnLoop(completion, () -> machine.onPeer(request, completion));
        }
    }

    /** The state machine checks names and levels; the port checks the options. */
    private void validateInPort(
            PeerRequest.ValidateTable request, Outcome<PeerReply> checked, Completion<PeerReply> completion) {
        if (checked instanceof Outcome.Err<PeerReply>) {
            completion.done(checked);
            return;
        }
        engine.validateTable(request.meta(), request.before(), validated -> {
            if (validated instanceof Outcome.Err<?> failed) {
                completion.done(Outcome.err(failed.error()));
            } else {
                completion.done(checked);
            }
        });
    }

    private Outcome<PeerReply> addRates(Outcome<PeerReply> reported) {
        return reported instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.Load load
                ? Outcome.ok(rates.withRates(load))
                : reported;
    }

    private <T> void runOnLoop(Completion<T> completion, Runnable task) {
        if (!loop.tryExecute(task)) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED, "this server is overloaded or stopping; try again or elsewhere")));
        }
    }

    /** Reads the map of a table again, because a client has a newer one. Thread-safe; many calls for one table make few reads. */
    void refreshTable(TableName table) {
        if (refreshing.add(table)) {
            loop.execute(() -> {
                refreshing.remove(table);
                machine.refresh(table);
            });
        }
    }

    /** Resolves versions in doubt at a replica for a reader. Thread-safe. */
    void resolveInDoubt(
            TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion) {
        runOnLoop(completion, () -> machine.resolveInDoubt(table, key, at, defers, completion));
    }

    /** Reads the list of tables and all maps again. Completes when the result, with every new table, is published. Thread-safe. */
    void refreshAll(Completion<Routing> completion) {
        loop.execute(() -> {
            machine.routing()
                    .ifPresent(routing -> routing.tables()
                            .forEach(table -> machine.refresh(table.meta().name())));
            machine.awaitAllTables(found -> {
                if (found instanceof Outcome.Err<?> failed) {
                    completion.done(Outcome.err(failed.error()));
                    return;
                }
                Timers.Cancel unused = loop.after(BOARD_DELAY_NANOS, () -> publish(completion));
            });
        });
    }

    private void publish(Completion<Routing> completion) {
        Optional<Routing> routing = machine.routing();
        routing.ifPresent(hub::publish);
        completion.done(routing.<Outcome<Routing>>map(Outcome::ok)
                .orElseGet(() -> Outcome.err(new UniserveException(
                        ErrorCode.UNAVAILABLE, "this server is starting and has not read all tables yet; try again"))));
    }
}
