package io.uniserve.protocol.tx;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.ReadErrorAction;
import io.uniserve.protocol.reader.RouteIndex;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A read of several actors at one version (docs/protocol.md, section 4). Every actor is asked on one of its in-sync replicas; the
 * largest of what they say they are complete through, and of the client's floor, is the version of the read; whoever
 * answered for an older one is asked again, for that version. Usually all agree at once. A state that is gone meanwhile
 * begins the read anew. Never a partial answer, never a mixture.
 *
 * <p>A server may leave a version open that another server's driver has in flight. The answer counts where some server has denied
 * the version since the read began: nobody could know of it then, and so not when the read began. As a rule the driver's server is
 * among those asked, and no message more is needed. Else the actors are asked again, and their servers ask the driver.
 *
 * <p>Not thread-safe; the completion is called exactly once.
 */
public final class SnapshotRead {
    private static final long PAUSE_NANOS = 40_000_000;
    private static final long SLOW_NANOS = 10_000_000;

    private final ClientContext env;
    private final SnapshotReadClient network;
    private final VersionWatermarks floors;
    private final Query query;
    private final Completion<Result> completion;
    private final TreeMap<Integer, Slot> slots = new TreeMap<>();
    private final TreeSet<Call> calls = new TreeSet<>((a, b) -> Integer.compare(a.number, b.number));
    private Timers.Cancel deadline = () -> {};
    private long tableId;
    private long at;
    private final long fixed;
    private int sent;
    private int retries;
    private final Set<ServerId> servers = new LinkedHashSet<>();
    private int rounds = 1;
    private int restarts;
    private final ReplicaChoice draw;
    private boolean paused;
    private boolean over;
    private boolean oneVersion = true;
    /** Versions that nobody could know of at some moment of this read. */
    private final TreeSet<Long> denied = new TreeSet<>();
    /** Servers are to leave nothing open any more. */
    private boolean insists;
    /** The table's number that the version is of; 0 where it is not known. */
    private long number;

    private boolean looked;

    private String last = "nobody was asked";

    /** Values that have each actor once, all of this version of the table of this number, and in how many rounds they came. */
    public record Result(
            long tableId, long version, List<VersionedRead.Part> parts, int rounds, QueryResult.Stats stats) {
        public Result {
            parts = List.copyOf(parts);
        }

        /** The values by the first actor of each. */
        public Map<Integer, Bytes> values() {
            Map<Integer, Bytes> values = new TreeMap<>();
            parts.forEach(part -> values.put(part.actors().get(0), part.value()));
            return values;
        }

        /** The same parts. */
        public QueryResult asQueryResult() {
            return new QueryResult(
                    parts.stream().map(VersionedRead.Part::value).toList(),
                    parts.stream().map(VersionedRead.Part::actors).toList(),
                    stats);
        }
    }

    private static final class Slot {
        private final int actor;
        private final List<ServerId> tried = new ArrayList<>();
        /** How many calls ask for it now; more than one where a server takes long. */
        private int asking;

        private @Nullable UniserveException trouble;
        private VersionedRead.@Nullable Part part;
        /** What the part's server has left open. */
        private List<Long> open = List.of();

        private Slot(int actor) {
            this.actor = actor;
        }

        /** Whether its answer is of an older state. */
        private boolean behind(long version) {
            return part != null && part.at() < version;
        }
    }

    private record Call(int number, long at, ServerId server, List<Slot> slots, Timers.Cancel[] cancel) {}

    /** @param query its mode is not looked at */
    public SnapshotRead(
            ClientContext env,
            SnapshotReadClient network,
            VersionWatermarks floors,
            Query query,
            Completion<Result> completion) {
        this(env, network, floors, query, 0, completion);
    }

    /**
     * A read of this very version, as told by an earlier read.
     *
     * @param version VERSION_GONE where no replica keeps its state any more; 0 for the newest
     */
    public SnapshotRead(
            ClientContext env,
            SnapshotReadClient network,
            VersionWatermarks floors,
            Query query,
            long version,
            Completion<Result> completion) {
        this.fixed = version;
        this.at = version;
        this.env = env;
        this.network = network;
        this.floors = floors;
        this.query = query;
        this.completion = completion;
        this.draw = new ReplicaChoice(env);
    }

    /**
     * Reads each actor as of now, in one round where nothing is behind the client's floor or left open; no two actors need agree. That
     * is what level SERIALIZABLE promises. Call before the start.
     */
    public SnapshotRead eachAsOfNow() {
        oneVersion = false;
        return this;
    }

    /** The version is of the table of this number: VERSION_GONE where there is another of its name by now. Call before the start. */
    public SnapshotRead ofNumber(long tableId) {
        number = tableId;
        return this;
    }

    /** Sends the first requests. */
    public void start() {
        Optional<TableRoute> route = env.routing().current().table(query.table());
        if (number != 0 && route.filter(this::isMeant).isEmpty()) {
            other();
            return;
        }
        if (route.isEmpty()) {
            end(error(ErrorCode.TABLE_NOT_FOUND, "table " + query.table() + " is not known"));
            return;
        }
        Optional<UniserveException> restored = floors.restored(route.get());
        if (restored.isPresent()) {
            end(Outcome.err(restored.get()));
            return;
        }
        tableId = route.get().meta().tableId();
        int count = route.get().map().actors().size();
        Collection<Integer> asked = query.actors().orElseGet(() -> all(count));
        for (int actor : asked) {
            if (actor < 0 || actor >= count) {
                end(error(ErrorCode.INVALID_ARGUMENT, "actor " + actor + " of " + count));
                return;
            }
            slots.put(actor, new Slot(actor));
        }
        long left = query.deadlineNanos() - env.clock().nanos();
        deadline = env.timers().after(Math.max(1, left), () -> {
            String open =
                    slots.values().stream().filter(slot -> slot.part == null).count() + " actors";
            end(error(ErrorCode.DEADLINE_EXCEEDED, "no answer from " + open + " in time; the last failure: " + last));
        });
        if (slots.isEmpty()) {
            settle();
        } else {
            dispatch();
        }
    }

    private boolean isMeant(TableRoute route) {
        return route.meta().tableId() == number;
    }

    /** The map here is older than the version, or the table is another one. */
    private void other() {
        if (looked) {
            end(error(
                    ErrorCode.VERSION_GONE,
                    "table " + query.table() + " is not number " + number + " any more, whose version was asked for"));
            return;
        }
        looked = true;
        env.routing().refresh(refreshed -> {
            if (!over) {
                start();
            }
        });
    }

    /** Gives up; the completion hears CANCELLED. */
    public void cancel() {
        end(error(ErrorCode.CANCELLED, "the query was cancelled"));
    }

    private static List<Integer> all(int count) {
        List<Integer> all = new ArrayList<>();
        for (int actor = 0; actor < count; actor++) {
            all.add(actor);
        }
        return all;
    }

    private static Outcome<Result> error(ErrorCode code, String message) {
        return Outcome.err(new UniserveException(code, message));
    }

    private void end(Outcome<Result> outcome) {
        if (!over) {
            over = true;
            deadline.cancel();
            drop();
            completion.done(outcome);
        }
    }

    private void drop() {
        for (Call call : List.copyOf(calls)) {
            call.cancel()[0].cancel();
            call.slots.forEach(slot -> slot.asking = 0);
        }
        calls.clear();
    }

    /** Asks for whatever has no answer and is not being asked. */
    private void dispatch() {
        RouteIndex index = env.routing().current();
        Optional<TableRoute> route =
                index.table(query.table()).filter(found -> found.meta().tableId() == tableId);
        if (route.isEmpty()) {
            ErrorCode code = number == 0 ? ErrorCode.TABLE_NOT_FOUND : ErrorCode.VERSION_GONE;
            end(error(code, "table " + query.table() + " was dropped while the query ran"));
            return;
        }
        Map<ServerId, List<Slot>> groups = new LinkedHashMap<>();
        boolean stuck = false;
        for (Slot slot : slots.values()) {
            if (slot.part == null && slot.asking == 0) {
                ServerId server = pick(index, route.get().map().actors().get(slot.actor), slot);
                if (server == null) {
                    stuck = true;
                } else {
                    groups.computeIfAbsent(server, s -> new ArrayList<>()).add(slot);
                }
            }
        }
        // Worth while where the driver's server is likely to be among those asked.
        boolean defers = at == 0
                && !insists
                && groups.size() > 1
                && 2 * groups.size() >= index.routing().servers().size();
        groups.forEach((server, group) -> send(index, route.get(), server, group, defers));
        if (stuck) {
            pause();
        }
    }

    /** A live in-sync replica not tried in this round, at random in proportion to the actor's weights; null where all were. */
    private @Nullable ServerId pick(RouteIndex index, ActorState actor, Slot slot) {
        List<ServerId> open = new ArrayList<>(actor.isr().size());
        for (ServerId server : actor.isr()) {
            if (!slot.tried.contains(server) && index.address(server).isPresent()) {
                open.add(server);
            }
        }
        if (open.isEmpty()) {
            return null;
        }
        Address near = query.near().get(slot.actor);
        for (ServerId server : open) {
            if (near != null && index.address(server).filter(near::equals).isPresent()) {
                return server;
            }
        }
        return draw.draw(open, actor, query);
    }

    /** Every replica was tried: after a pause, with a newer map, all are again. */
    private void pause() {
        for (Slot slot : slots.values()) {
            if (slot.part == null && slot.asking == 0 && slot.trouble != null) {
                end(Outcome.err(slot.trouble)); // the replicas that were tried have this trouble
                return;
            }
        }
        if (!paused && !over) {
            paused = true;
            env.routing()
                    .refresh(refreshed -> env.timers().after(PAUSE_NANOS, () -> {
                        paused = false;
                        if (!over) {
                            slots.values().stream()
                                    .filter(slot -> slot.asking == 0)
                                    .forEach(slot -> slot.tried.clear());
                            dispatch();
                        }
                    }));
        }
    }

    private void send(RouteIndex index, TableRoute route, ServerId server, List<Slot> group, boolean defers) {
        Address address = index.address(server).orElseThrow();
        List<VersionedRead.Target> targets = group.stream()
                .map(slot -> new VersionedRead.Target(
                        slot.actor, route.map().actors().get(slot.actor).epoch()))
                .toList();
        servers.add(server);
        retries += group.stream().anyMatch(slot -> !slot.tried.isEmpty()) ? 1 : 0;
        group.forEach(slot -> {
            slot.asking++;
            slot.tried.add(server);
        });
        long left = Math.max(1, query.deadlineNanos() - env.clock().nanos());
        VersionedRead request = new VersionedRead(
                query.table(), tableId, targets, query.operator(), query.parameters(), at, true, defers, false, left);
        Call call = new Call(sent++, at, server, group, new Timers.Cancel[] {() -> {}});
        calls.add(call);
        Timers.Cancel asked = network.read(address, request, reply -> heard(call, reply));
        call.cancel()[0] = asked;
        if (calls.contains(call)) {
            watch(call, asked);
        }
    }

    /** Looks at a call that has no answer after a quarter of the time that is left. */
    private void watch(Call call, Timers.Cancel asked) {
        long left = Math.max(1, query.deadlineNanos() - env.clock().nanos());
        Timers.Cancel slow = env.timers().after(Math.max(SLOW_NANOS, left / 4), () -> slow(call, asked));
        call.cancel()[0] = () -> {
            slow.cancel();
            asked.cancel();
        };
    }

    /**
     * A server that computes is not told from one that is silent, so its call goes on, and other replicas are asked beside it; the
     * first answer counts. A server that the map has lost is given up.
     */
    private void slow(Call call, Timers.Cancel asked) {
        RouteIndex index = env.routing().current();
        Optional<TableRoute> route =
                index.table(query.table()).filter(found -> found.meta().tableId() == tableId);
        if (index.address(call.server()).isEmpty() || route.isEmpty()) {
            heard(call, silent(call.server()));
            return;
        }
        watch(call, asked);
        Map<ServerId, List<Slot>> beside = new LinkedHashMap<>();
        for (Slot slot : call.slots()) {
            if (slot.part == null && slot.asking == 1) {
                ServerId other = pick(index, route.get().map().actors().get(slot.actor), slot);
                if (other != null) {
                    beside.computeIfAbsent(other, s -> new ArrayList<>()).add(slot);
                }
            }
        }
        beside.forEach((server, group) -> send(index, route.get(), server, group, false));
    }

    private static Outcome<VersionedRead.Reply> silent(ServerId server) {
        return Outcome.err(new UniserveException(
                ErrorCode.UNAVAILABLE, "server " + server + " left the cluster before it answered"));
    }

    private void heard(Call call, Outcome<VersionedRead.Reply> outcome) {
        if (over || !calls.remove(call)) {
            return;
        }
        call.cancel()[0].cancel();
        call.slots.forEach(slot -> slot.asking--);
        boolean gone = false;
        if (outcome instanceof Outcome.Ok<VersionedRead.Reply> ok) {
            denied.addAll(ok.value().denied());
            for (VersionedRead.Part part : ok.value().parts()) {
                take(call, part, ok.value().open());
            }
            for (ActorFailure failure : ok.value().failures()) {
                last = "actor " + failure.actor() + " on " + call.server() + ": " + failure.code() + " "
                        + failure.message();
                Slot slot = slots.get(failure.actor());
                boolean alone = slot == null || slot.asking == 0;
                gone |= alone && failure.code() == ErrorCode.VERSION_GONE;
                if (slot != null && call.slots.contains(slot)) {
                    judge(slot, new UniserveException(failure.code(), failure.message()));
                }
            }
        } else {
            UniserveException error = outcome.error();
            last = call.server() + ": " + error.code() + ": " + error.reason();
            call.slots.forEach(slot -> judge(slot, error));
        }
        if (over) {
            return;
        }
        if (gone && fixed == 0) {
            restart();
        } else {
            settle(); // where the version is given another replica may have its state yet
        }
    }

    /** A value counts for all its actors or for none: what it has of one cannot be taken out of it. */
    private void take(Call call, VersionedRead.Part part, List<Long> open) {
        Set<Slot> taken = new LinkedHashSet<>();
        for (int actor : part.actors()) {
            Slot slot = slots.get(actor);
            if (slot == null || slot.part != null || !call.slots.contains(slot) || !taken.add(slot)) {
                return;
            }
        }
        taken.forEach(slot -> {
            slot.part = part;
            slot.open = open;
        });
    }

    /** An error that is the same everywhere ends the query; one that may be a replica's own, when all have it. */
    private void judge(Slot slot, UniserveException error) {
        ReadErrorAction readErrorAction = ReadErrorAction.of(error.code());
        if (readErrorAction == ReadErrorAction.FATAL && error.code() != ErrorCode.VERSION_GONE) {
            end(Outcome.err(error));
        }
        boolean gone = fixed > 0 && error.code() == ErrorCode.VERSION_GONE;
        slot.trouble = readErrorAction == ReadErrorAction.ONCE_EACH || gone ? error : null;
    }

    private void restart() {
        if (++restarts > Limits.VERSION_RESTARTS_MAX) {
            end(error(ErrorCode.VERSION_GONE, "version " + at + " is not kept any more: " + last));
            return;
        }
        drop();
        at = 0;
        rounds++;
        slots.values().forEach(slot -> {
            slot.part = null;
            slot.tried.clear();
        });
        dispatch();
    }

    /** Goes on when all have answered: done when they agree, else once more for those that are behind. */
    private void settle() {
        long version = fixed > 0 ? fixed : Math.max(at, floors.of(tableId));
        for (Slot slot : slots.values()) {
            if (slot.part == null) {
                dispatch();
                return;
            }
            version = oneVersion ? Math.max(version, slot.part.at()) : version;
        }
        drop(); // calls beside those that were answered
        if (slots.values().stream().anyMatch(this::leftOpen)) {
            insists = true;
            askAgain(this::leftOpen);
            return;
        }
        long wanted = version;
        if (slots.values().stream().anyMatch(slot -> slot.behind(wanted))) {
            at = wanted;
            askAgain(slot -> slot.behind(wanted));
        } else {
            succeed(version);
        }
    }

    /**
     * Whether the slot's answer leaves a version open that nobody has denied. That it has the version by now, or that another answer
     * has it, does not help: a later version may be prepared behind it, which only its server can tell.
     */
    private boolean leftOpen(Slot slot) {
        return !denied.containsAll(slot.open);
    }

    private void askAgain(Predicate<Slot> which) {
        List<Slot> again = slots.values().stream().filter(which).toList();
        again.forEach(slot -> {
            slot.part = null;
            slot.open = List.of();
            slot.tried.clear();
        });
        rounds++;
        dispatch();
    }

    /** Every actor's answer is complete through this version at least. */
    private void succeed(long agreed) {
        long version = Long.MAX_VALUE;
        long newest = 0;
        for (Slot slot : slots.values()) {
            if (slot.part != null) {
                newest = Math.max(newest, slot.part.at());
                version = Math.min(version, slot.part.at());
            }
        }
        version = version == Long.MAX_VALUE ? agreed : version;
        floors.raise(tableId, Math.max(newest, version), env.clock().nanos());
        List<VersionedRead.Part> parts = new ArrayList<>();
        for (Slot slot : slots.values()) { // ascending, so each part where its first actor comes
            VersionedRead.Part part = slot.part;
            if (part != null && slot.actor == Collections.min(part.actors())) {
                parts.add(part);
            }
        }
        end(Outcome.ok(new Result(tableId, version, parts, rounds, new QueryResult.Stats(sent, retries, 0, servers))));
    }
}
