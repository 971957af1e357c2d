package io.uniserve.protocol.client.transaction;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadErrorAction;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.VersionedRead;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Scatter and gather of reads at a version: one request per server with all actors that it is chosen for, until every actor has an
 * answer. A {@link ScatterPolicy} decides which replicas are eligible, what errors mean and when the read is complete.
 *
 * <p>A round sends at most one request per actor to each replica. A request without a reply after a quarter of the remaining time is
 * slow. A slow server may still compute, so its request stays open, and other replicas get a second request. The first answer of an
 * actor counts. Requests to a server that has left the map are cancelled.
 *
 * <p>Not thread-safe.
 */
final class ScatterReadExecution {
    private static final long PAUSE_NANOS = 40_000_000;

    private final ClientContext env;
    private final SnapshotReadClient network;
    private final List<Query> queries;
    private final long slowNanos;
    private final ScatterPolicy policy;
    private final ReplicaChooser choice;
    private final List<Slot> slots = new ArrayList<>();
    private final Set<Call> calls = new LinkedHashSet<>(); // open ones, and ended ones whose timers run
    private final Set<ServerId> servers = new LinkedHashSet<>();
    private int requests;
    private int retries;
    private boolean paused;
    private boolean stopped;
    private String last = "no server was queried";

    /** Progress of one actor of one query. */
    static final class Slot {
        private final int query;
        private final int actor;
        private final List<ServerId> tried = new ArrayList<>();
        private VersionedRead.@Nullable Part part;
        private List<Long> open = List.of();
        private @Nullable UniserveException trouble;
        /** The actor's epoch in the map of its last request. */
        private long epoch;
        /** Requests in flight for the actor: more than one if a server is slow. */
        private int asking;

        private Slot(int query, int actor) {
            this.query = query;
            this.actor = actor;
        }

        /** Index of the query. */
        int query() {
            return query;
        }

        int actor() {
            return actor;
        }

        /** The first answer that counts; null before it. Several slots share it if the server has merged their values. */
        VersionedRead.@Nullable Part part() {
            return part;
        }

        /** Versions that the answer leaves open. */
        List<Long> open() {
            return open;
        }

        /** Drops the answer and starts another round. */
        void reset() {
            part = null;
            open = List.of();
            tried.clear();
        }

        private boolean isIdle() {
            return part == null && asking == 0;
        }
    }

    private record Share(int query, ServerId server) {}

    /** One request. */
    private static final class Call {
        private final Share share;
        private final Map<Integer, Slot> slots = new LinkedHashMap<>();
        private Timers.Cancel request = () -> {};
        private Timers.Cancel watch = () -> {};
        private boolean open = true;

        private Call(Share share) {
            this.share = share;
        }

        private void cancel() {
            watch.cancel();
            request.cancel();
        }
    }

    /**
     * @param queries with one deadline
     * @param slowNanos shortest time after which a request is slow
     */
    ScatterReadExecution(
            ClientContext env, SnapshotReadClient network, List<Query> queries, long slowNanos, ScatterPolicy policy) {
        this.env = env;
        this.network = network;
        this.queries = List.copyOf(queries);
        this.slowNanos = slowNanos;
        this.policy = policy;
        this.choice = new ReplicaChooser(env);
    }

    /** Adds an actor of a query. {@link #dispatch} keeps the order of additions. */
    void add(int query, int actor) {
        slots.add(new Slot(query, actor));
    }

    List<Slot> slots() {
        return slots;
    }

    ReplicaChooser choice() {
        return choice;
    }

    /** The last failure, for the error of a read that runs out of time. */
    String last() {
        return last;
    }

    void note(String failure) {
        last = failure;
    }

    /** Nanoseconds until the deadline; negative after it. */
    long left() {
        return queries.get(0).deadlineNanos() - env.clock().nanos();
    }

    QueryResult.Stats stats() {
        return new QueryResult.Stats(requests, retries, 0, servers);
    }

    boolean isPaused() {
        return paused;
    }

    boolean isStopped() {
        return stopped;
    }

    /** True if every actor has an answer. */
    boolean isComplete() {
        for (Slot slot : slots) {
            if (slot.part == null) {
                return false;
            }
        }
        return true;
    }

    /** Ends the read; false if it has ended before. */
    boolean stop() {
        if (stopped) {
            return false;
        }
        stopped = true;
        drop();
        return true;
    }

    /** Cancels all requests. Slots keep their answers. */
    void drop() {
        List<Call> all = List.copyOf(calls);
        calls.clear();
        for (Call call : all) {
            call.cancel();
            if (call.open) {
                call.open = false;
                call.slots.values().forEach(slot -> slot.asking--);
            }
        }
    }

    /** Cancels all requests and removes all actors. */
    void clear() {
        drop();
        slots.clear();
    }

    /** Sends requests for all actors that have no answer and no request in flight. */
    void dispatch() {
        RouteIndex index = env.routing().current();
        Map<Share, Call> shares = new LinkedHashMap<>();
        List<Slot> stuck = new ArrayList<>();
        for (Slot slot : slots) {
            if (slot.isIdle()) {
                ServerId server = pick(index, slot);
                if (server != null) {
                    share(shares, slot, server);
                } else {
                    stuck.add(slot);
                    if (!policy.sendsPartly()) {
                        break;
                    }
                }
            }
        }
        if (stuck.isEmpty() || policy.sendsPartly()) {
            send(index, shares, shares.size());
        }
        if (!stuck.isEmpty() && !stopped) {
            Slot troubled = stuck.stream()
                    .filter(slot -> slot.trouble != null)
                    .findFirst()
                    .orElse(null);
            if (troubled != null && troubled.trouble != null) {
                policy.fail(troubled.trouble); // all replicas have it
            } else {
                policy.exhausted();
            }
        }
    }

    /** After a pause and with a newer map, makes all replicas eligible again for actors without a request in flight. */
    void retryAfterPause() {
        if (paused || stopped) {
            return;
        }
        paused = true;
        env.routing()
                .refresh(refreshed -> env.timers().after(PAUSE_NANOS, () -> {
                    paused = false;
                    if (!stopped) {
                        slots.stream().filter(slot -> slot.asking == 0).forEach(slot -> slot.tried.clear());
                        policy.retry();
                    }
                }));
    }

    /** A live in-sync replica not tried in this round, drawn by the actor's weights; null if all were tried. */
    private @Nullable ServerId pick(RouteIndex index, Slot slot) {
        ActorState actor = policy.find(index, slot);
        if (actor == null) {
            slot.trouble = null;
            return null;
        }
        List<ServerId> open = new ArrayList<>(actor.isr().size());
        for (ServerId server : actor.isr()) {
            if (!slot.tried.contains(server) && index.address(server).isPresent()) {
                open.add(server);
            }
        }
        if (open.isEmpty()) {
            return null;
        }
        slot.epoch = actor.epoch();
        Query query = queries.get(slot.query);
        Address near = query.preferredAddresses().get(slot.actor);
        for (ServerId server : open) {
            if (near != null && index.address(server).filter(near::equals).isPresent()) {
                return server;
            }
        }
        return choice.choose(open, actor, query);
    }

    private static void share(Map<Share, Call> shares, Slot slot, ServerId server) {
        shares.computeIfAbsent(new Share(slot.query, server), Call::new).slots.put(slot.actor, slot);
    }

    /** Registers all requests before it sends the first one: its reply may arrive before the call returns. */
    private void send(RouteIndex index, Map<Share, Call> shares, int together) {
        for (Call call : shares.values()) {
            calls.add(call);
            retries += call.slots.values().stream().anyMatch(slot -> !slot.tried.isEmpty()) ? 1 : 0;
            call.slots.values().forEach(slot -> {
                slot.asking++;
                slot.tried.add(call.share.server());
            });
        }
        for (Call call : shares.values()) {
            if (call.open) {
                send(index, call, together);
            }
        }
    }

    private void send(RouteIndex index, Call call, int together) {
        ServerId server = call.share.server();
        List<VersionedRead.Target> targets = call.slots.values().stream()
                .map(slot -> new VersionedRead.Target(slot.actor, slot.epoch))
                .toList();
        VersionedRead request = policy.request(call.share.query(), targets, together);
        servers.add(server);
        requests++;
        call.request =
                network.read(index.address(server).orElseThrow(), request, outcome -> ended(call, request, outcome));
        if (call.open) {
            watch(call, request);
        }
    }

    private void watch(Call call, VersionedRead request) {
        call.watch = env.timers().after(Math.max(slowNanos, left() / 4), () -> slow(call, request));
    }

    private void slow(Call call, VersionedRead request) {
        if (!call.open) {
            return;
        }
        RouteIndex index = env.routing().current();
        ServerId server = call.share.server();
        if (index.address(server).isEmpty() || policy.isObsolete(index)) {
            String lost = "server " + server + " left the cluster before it answered";
            ended(call, request, Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, lost)));
            return;
        }
        watch(call, request);
        Map<Share, Call> beside = new LinkedHashMap<>();
        for (Slot slot : policy.asksBeside() ? call.slots.values() : List.<Slot>of()) {
            ServerId other = slot.part != null || slot.asking != 1 ? null : pick(index, slot);
            if (other != null) {
                share(beside, slot, other);
            }
        }
        send(index, beside, 0);
    }

    private void ended(Call call, VersionedRead request, Outcome<VersionedRead.Reply> outcome) {
        if (!call.open) {
            return;
        }
        call.open = false;
        if (policy.cancelsEnded()) {
            calls.remove(call);
            call.cancel();
        }
        call.slots.values().forEach(slot -> slot.asking--);
        boolean outdated = false;
        if (outcome instanceof Outcome.Ok<VersionedRead.Reply> ok) {
            policy.received(ok.value());
            ok.value()
                    .parts()
                    .forEach(part -> take(call, request, part, ok.value().openVersions()));
            for (ActorFailure failure : ok.value().failures()) {
                last = "actor " + failure.actor() + " on " + call.share.server() + ": " + failure.code() + " "
                        + failure.message();
                Slot slot = call.slots.get(failure.actor());
                outdated |= (slot == null || slot.asking == 0) && policy.isOutdated(failure.code());
                if (slot != null) {
                    judge(slot, new UniserveException(failure.code(), failure.message()));
                }
            }
        } else {
            UniserveException error = ((Outcome.Err<VersionedRead.Reply>) outcome).error();
            last = call.share.server() + ": " + error.code() + ": " + error.reason();
            call.slots.values().forEach(slot -> judge(slot, error));
        }
        if (!stopped) {
            policy.advance(outdated);
        }
    }

    /** A merged value counts for all its actors or for none: the value of a single actor cannot be removed from it. */
    private static void take(Call call, VersionedRead request, VersionedRead.Part part, List<Long> open) {
        Set<Slot> taken = new LinkedHashSet<>();
        for (int actor : part.actors()) {
            Slot slot = call.slots.get(actor);
            if (slot == null || slot.part != null || !taken.add(slot)) {
                return;
            }
        }
        if (taken.size() > 1 && !request.acceptsMerged()) {
            return;
        }
        taken.forEach(slot -> {
            slot.part = part;
            slot.open = open;
        });
    }

    private void judge(Slot slot, UniserveException error) {
        ReadErrorAction meaning = policy.meaning(error.code());
        if (meaning == ReadErrorAction.FATAL) {
            policy.fail(error);
        }
        slot.trouble = meaning == ReadErrorAction.ONCE_EACH ? error : null;
    }
}
