package io.uniserve.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.Routing;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.ExchangeRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.server.ServerMachine;
import io.uniserve.runtime.engine.PortEngineHost;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.transport.ConsistentCutHandler;
import io.uniserve.runtime.transport.PeerHandler;
import io.uniserve.runtime.transport.RoutingHub;
import io.uniserve.runtime.transport.UpdateRpcHandler;
import io.uniserve.server.exchange.ExchangeHost;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Brings requests from the transport's threads to the machine's loop, unless the loop has too much to do already. */
final class ServerHandlers implements PeerHandler, UpdateRpcHandler, ConsistentCutHandler {
    /** After the registry has answered, a changed map is told after the routing board has gathered changes. */
    private static final long GATHER_NANOS = 15_000_000;

    private final EventLoop loop;
    private final ServerMachine machine;
    private final PortEngineHost engine;
    private final RoutingHub hub;
    private final LoadRates rates;
    private final ExchangeHost exchange;
    private final Set<TableName> refreshing = ConcurrentHashMap.newKeySet();

    ServerHandlers(
            ServerResources resources, ServerMachine machine, RoutingHub hub, LoadRates rates, ExchangeHost exchange) {
        this.exchange = exchange;
        this.loop = resources.loop;
        this.machine = machine;
        this.engine = resources.engine;
        this.hub = hub;
        this.rates = rates;
    }

    @Override
    public void update(UpdateRequest request, Completion<UpdateReply> completion) {
        onLoop(completion, () -> machine.onUpdate(request, completion));
    }

    @Override
    public void cut(List<TableName> tables, Completion<ConsistentCut> completion) {
        onLoop(completion, () -> machine.cut(tables, completion));
    }

    @Override
    public void call(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof ExchangeRequest) {
            exchange.onPeer(request, completion);
        } else if (request instanceof PeerRequest.ValidateTable validate) {
            onLoop(completion, () -> machine.onPeer(request, checked -> validateInPort(validate, checked, completion)));
        } else if (request instanceof PeerRequest.LearnTable) {
            onLoop(
                    completion,
                    () -> machine.onPeer(request, learned -> {
                        machine.routing().ifPresent(hub::publish); // so that the next query is planned with it
                        completion.done(learned);
                    }));
        } else if (request instanceof PeerRequest.ReportLoad) {
            onLoop(completion, () -> machine.onPeer(request, reported -> completion.done(withRates(reported))));
        } else {
            onLoop(completion, () -> machine.onPeer(request, completion));
        }
    }

    /** The machine knows names and levels; options are the port's to judge. */
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

    private Outcome<PeerReply> withRates(Outcome<PeerReply> reported) {
        return reported instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.Load load
                ? Outcome.ok(rates.complete(load))
                : reported;
    }

    private <T> void onLoop(Completion<T> completion, Runnable task) {
        if (!loop.tryExecute(task)) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED, "this server is overloaded or stopping; try again or elsewhere")));
        }
    }

    /** A client knows more of this table than this server. Called on any thread, often for the same table. */
    void refresh(TableName table) {
        if (refreshing.add(table)) {
            loop.execute(() -> {
                refreshing.remove(table);
                machine.refresh(table);
            });
        }
    }

    /** Settles doubts of a replica for a reader. Called on any thread. */
    void settle(TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion) {
        onLoop(completion, () -> machine.settle(table, key, at, defers, completion));
    }

    /** Reads all maps again, and which tables there are; done when that has been published, with every table that is new. Called on any thread. */
    void refreshAll(Completion<Routing> completion) {
        loop.execute(() -> {
            machine.routing()
                    .ifPresent(routing -> routing.tables()
                            .forEach(table -> machine.refresh(table.meta().name())));
            machine.search(found -> {
                if (found instanceof Outcome.Err<?> failed) {
                    completion.done(Outcome.err(failed.error()));
                    return;
                }
                Timers.Cancel unused = loop.after(GATHER_NANOS, () -> publish(completion));
            });
        });
    }

    private void publish(Completion<Routing> completion) {
        Optional<Routing> routing = machine.routing();
        routing.ifPresent(hub::publish);
        completion.done(routing.<Outcome<Routing>>map(Outcome::ok)
                .orElseGet(() -> Outcome.err(new UniserveException(
                        ErrorCode.UNAVAILABLE, "this server starts and does not know all tables yet"))));
    }
}
