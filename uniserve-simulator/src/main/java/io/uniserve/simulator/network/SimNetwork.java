package io.uniserve.simulator.network;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Twin of the network: all links between processes. A blocked link loses every message in its direction. */
public final class SimNetwork {
    private static final long LATENCY_MIN_NANOS = 100_000;
    private static final long LATENCY_SPREAD_NANOS = 900_000;
    private static final long SPIKE_NANOS = 4_000_000_000L;
    private static final long NO_TIMEOUT = Long.MAX_VALUE;
    /** A caller with a longer timeout relies on keepalive to detect a broken connection. */
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final EventQueue queue;
    private final Prng random;
    private final FaultIntensity faultIntensity;
    private final NetworkObserver networkObserver;
    private final Map<String, Endpoint> endpoints = new TreeMap<>();
    private final Map<String, Set<Call<?, ?>>> inFlight = new TreeMap<>();
    private final Set<String> blocked = new TreeSet<>();
    private long keepaliveNanos = NO_TIMEOUT;

    public SimNetwork(EventQueue queue, Prng random, FaultIntensity faultIntensity, NetworkObserver networkObserver) {
        this.queue = queue;
        this.random = random;
        this.faultIntensity = faultIntensity;
        this.networkObserver = networkObserver;
    }

    /**
     * Sets the keepalive time. From now on, callers with a timeout above one minute fail after this time if a message was lost or the other
     * process has died, as with pings on a real connection.
     */
    public void setKeepalive(long nanos) {
        keepaliveNanos = nanos;
    }

    /** Binds the address to this endpoint, in place of an earlier one. */
    public void bind(Address address, Endpoint endpoint) {
        endpoints.put(address.toString(), endpoint);
    }

    /** Loses all messages in this direction from now on. */
    public void block(String from, String to) {
        blocked.add(from + ">" + to);
    }

    /** Ends every network partition. */
    public void unblockAll() {
        blocked.clear();
    }

    /** Ends the network partition in one direction. */
    public void unblock(String from, String to) {
        blocked.remove(from + ">" + to);
    }

    /** True if no direction between the two is blocked. Single messages may still be lost. */
    public boolean isOpen(SimProcess one, SimProcess other) {
        return !blocked.contains(one.name() + ">" + other.name()) && !blocked.contains(other.name() + ">" + one.name());
    }

    /** The network as this daemon uses it. */
    public Network network(SimProcess from) {
        return (to, request, timeoutNanos, completion) ->
                call(from, to, request, timeoutNanos, completion, Endpoint::peers);
    }

    /** The network as this client uses it. */
    public ClientNetwork clientNetwork(SimProcess from) {
        return new ClientNetwork() {
            @Override
            public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
                return call(from, to, request, NO_TIMEOUT, completion, Endpoint::reads);
            }

            @Override
            public void requestChunkGeneration(
                    Address to, TableName table, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
                call(from, to, List.of(table), timeoutNanos, completion, Endpoint::consistentCuts);
            }

            @Override
            public void update(
                    Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
                call(from, to, request, timeoutNanos, completion, Endpoint::updates);
            }
        };
    }

    /** The network as this client uses it for reads at one version. */
    public SnapshotReadClient versionedNetwork(SimProcess from) {
        return (to, request, completion) -> call(from, to, request, NO_TIMEOUT, completion, Endpoint::versions);
    }

    /** The network as this client uses it for the snapshots of strict reads. */
    public ConsistentSnapshotClient consistentCutNetwork(SimProcess from) {
        return (to, tables, timeoutNanos, completion) ->
                call(from, to, tables, timeoutNanos, completion, Endpoint::consistentCuts);
    }

    /** Called when the process dies. Its callers get a reset connection, or no reply. */
    public void onCrash(SimProcess process) {
        Set<Call<?, ?>> calls = inFlight.remove(process.name());
        if (calls != null) {
            calls.forEach(call -> {
                if (random.below(2) == 0) {
                    reset(call);
                } else {
                    onBroken(call);
                }
            });
        }
    }

    private <Q, R> Timers.Cancel call(
            SimProcess from,
            Address to,
            Q request,
            long timeoutNanos,
            Completion<R> completion,
            Function<Endpoint, Endpoint.Handler<Q, R>> service) {
        Call<Q, R> call = new Call<>(
                from, to, request, from.begin(completion), timeoutNanos > PATIENCE_NANOS && timeoutNanos != NO_TIMEOUT);
        if (timeoutNanos != NO_TIMEOUT) {
            call.pending.complete(
                    from.toVirtualNanos(Math.max(1, timeoutNanos)),
                    failure(ErrorCode.DEADLINE_EXCEEDED, "no answer from " + to + " in time"));
        }
        Endpoint endpoint = endpoints.get(to.toString());
        if (endpoint == null) {
            call.pending.complete(latency(), failure(ErrorCode.UNAVAILABLE, "no server listens at " + to));
        } else if (!isLost(from, endpoint.process())) {
            int copies = faultIntensity.draw(Fault.MESSAGE_DUPLICATED) ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                queue.after(latency(), () -> deliver(call, service));
            }
        } else {
            onBroken(call);
        }
        return call.pending::cancel;
    }

    private <Q, R> void deliver(Call<Q, R> call, Function<Endpoint, Endpoint.Handler<Q, R>> service) {
        Endpoint endpoint = endpoints.get(call.to.toString());
        if (endpoint == null || !endpoint.process().alive()) {
            call.pending.complete(latency(), failure(ErrorCode.UNAVAILABLE, call.to + " refuses connections"));
            return;
        }
        inFlight.computeIfAbsent(endpoint.process().name(), name -> new LinkedHashSet<>())
                .add(call);
        endpoint.process().post(0, () -> handle(call, endpoint.process(), service.apply(endpoint)));
    }

    private <Q, R> void handle(Call<Q, R> call, SimProcess process, Endpoint.Handler<Q, R> handler) {
        networkObserver.request(call.from, process, call.request);
        if (!call.pending.isEnded() && faultIntensity.draw(Fault.RESET_AFTER_DELIVERY)) {
            reset(call);
        }
        boolean[] answered = new boolean[1];
        handler.handle(call.request, outcome -> {
            if (answered[0]) {
                throw new IllegalStateException("second answer to " + call.request);
            }
            answered[0] = true;
            reply(call, process, outcome);
        });
    }

    private <Q, R> void reply(Call<Q, R> call, SimProcess process, Outcome<R> outcome) {
        Set<Call<?, ?>> calls = inFlight.get(process.name());
        if (calls != null) {
            calls.remove(call);
        }
        networkObserver.reply(call.from, process, call.request, outcome);
        if (call.pending.isEnded()) {
            return;
        }
        if (isLost(process, call.from)) {
            onBroken(call);
        } else {
            call.pending.complete(latency(), outcome);
        }
    }

    private void onBroken(Call<?, ?> call) {
        if (call.withoutTimeout && keepaliveNanos != NO_TIMEOUT) {
            call.pending.complete(
                    keepaliveNanos, failure(ErrorCode.OUTCOME_UNKNOWN, "connection to " + call.to + " broke"));
        }
    }

    private <Q, R> void reset(Call<Q, R> call) {
        call.pending.complete(latency(), failure(ErrorCode.OUTCOME_UNKNOWN, "connection to " + call.to + " was reset"));
    }

    private boolean isLost(SimProcess from, SimProcess to) {
        if (blocked.contains(from.name() + ">" + to.name())) {
            faultIntensity.count(Fault.MESSAGE_PARTITIONED);
            return true;
        }
        return faultIntensity.draw(Fault.MESSAGE_LOST);
    }

    private long latency() {
        long base = LATENCY_MIN_NANOS + random.below(LATENCY_SPREAD_NANOS);
        return faultIntensity.draw(Fault.MESSAGE_DELAYED) ? base + random.below(SPIKE_NANOS) : base;
    }

    private static <R> Outcome<R> failure(ErrorCode code, String message) {
        return Outcome.err(new UniserveException(code, message));
    }

    /** Request under way. Only equal to itself. */
    private static final class Call<Q, R> {
        private final SimProcess from;
        private final Address to;
        private final Q request;
        private final SimProcess.Pending<R> pending;
        private final boolean withoutTimeout;

        private Call(SimProcess from, Address to, Q request, SimProcess.Pending<R> pending, boolean patient) {
            this.from = from;
            this.to = to;
            this.request = request;
            this.pending = pending;
            this.withoutTimeout = patient;
        }
    }
}
