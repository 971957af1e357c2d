package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Release;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingInstance.State;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.ServerProvider;
import io.uniserve.protocol.env.ServerProvider.Instance;
import io.uniserve.protocol.env.ServerProvider.Status;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Comparison of the recorded instances with the provider's list and the registered servers. {@link #next} computes the next states, a pure
 * function of the three. {@link #call} sends the calls that the recorded states require: a launch for REQUESTED, a termination for
 * TERMINATING. So each call follows a write that names it, and each new leader repeats the calls of the one before.
 */
final class InstanceReconciler {
    private static final Logger LOG = LoggerFactory.getLogger(InstanceReconciler.class);
    private static final int BACKOFF_DOUBLINGS_MAX = 3;

    /** Key of problems of lists; problems of instances are by token. */
    private static final String LIST = "";

    /** Start of the effect of a launch that has brought no server into use. */
    static final String FAILED = "terminated: ";

    private final LeaderContext leader;
    private final ScalingConfig config;
    private final ServerProvider provider;
    private final String identity;
    private final StateAges ages;
    private final TreeMap<String, Call> calls = new TreeMap<>();
    private final TreeMap<String, Long> absentSince = new TreeMap<>();
    private final TreeMap<String, Long> awaySince = new TreeMap<>();
    private TreeMap<String, Instance> listed = new TreeMap<>();
    private boolean listing;
    private boolean everListed;
    private long listedNanos;
    private int listFailures;
    private final TreeMap<String, String> problems = new TreeMap<>();

    /** Calls about one token: the one in flight, or the pause after failed ones. */
    private static final class Call {
        boolean inFlight;
        int failures;
        long notBeforeNanos;
    }

    InstanceReconciler(
            LeaderContext leader, ScalingConfig config, ServerProvider provider, String identity, StateAges ages) {
        this.leader = leader;
        this.config = config;
        this.provider = provider;
        this.identity = identity;
        this.ages = ages;
        this.listedNanos = leader.env().clock().nanos() - config.listNanos();
    }

    /** The last failure of a call of the provider that has not succeeded since; empty if there is none. */
    String problem() {
        return problems.isEmpty() ? "" : problems.firstEntry().getValue();
    }

    /**
     * Reason why no server is added in place of one that is away: it may be restarting, with its data. After the time-out of launches it no
     * longer counts.
     */
    Optional<String> restartReason(ScalingRecord record) {
        long now = leader.env().clock().nanos();
        awaySince
                .keySet()
                .removeIf(token -> record.find(token)
                        .filter(one -> one.state() == State.JOINED && isAway(one))
                        .isEmpty());
        Optional<String> reason = Optional.empty();
        for (ScalingInstance one : record.instances()) {
            if (one.state() == State.JOINED && isAway(one)) {
                long since = awaySince.computeIfAbsent(one.token(), unused -> now);
                reason = now - since < config.launchNanos()
                        ? Optional.of(one.serverId() + " is away, and may come back")
                        : reason;
            }
        }
        return reason;
    }

    private boolean isAway(ScalingInstance instance) {
        return leader.members().find(instance.serverId()) == null;
    }

    /** True once the provider has listed its instances in this term. */
    boolean hasListed() {
        return everListed;
    }

    /** Lists the provider's instances if it is time. */
    void list() {
        long now = leader.env().clock().nanos();
        if (listing || now - listedNanos < config.listNanos() << Math.min(listFailures, BACKOFF_DOUBLINGS_MAX)) {
            return;
        }
        listing = true;
        listedNanos = now;
        Completion<List<Instance>> completion = leader.registry().scoped(once(outcome -> {
            listing = false;
            if (outcome instanceof Outcome.Ok<List<Instance>> ok) {
                listFailures = 0;
                everListed = true;
                problems.remove(LIST);
                TreeMap<String, Instance> found = new TreeMap<>();
                ok.value().forEach(instance -> found.merge(instance.token(), instance, InstanceReconciler::moreAlive));
                listed = found;
            } else {
                listFailures++;
                onFailure(LIST, "list", outcome.error());
            }
        }));
        call(() -> provider.list(identity, completion), completion);
    }

    /** Calls the provider. An exception completes the call with an error. */
    private static <T> void call(Runnable action, Completion<T> completion) {
        try {
            action.run();
        } catch (RuntimeException e) {
            completion.done(Outcome.err(new UniserveException(ErrorCode.INTERNAL, "the provider failed: " + e, e)));
        }
    }

    /** Completion that takes the first outcome, and a time-out if there is none. */
    private <T> Completion<T> once(Completion<T> completion) {
        boolean[] done = new boolean[1];
        Completion<T> first = outcome -> {
            if (!done[0]) {
                done[0] = true;
                completion.done(outcome);
            }
        };
        leader.registry()
                .after(
                        config.callNanos(),
                        () -> first.done(Outcome.err(new UniserveException(
                                ErrorCode.DEADLINE_EXCEEDED,
                                "provider " + provider.name() + " did not answer in " + config.callNanos() / 1_000_000
                                        + " ms"))));
        return first;
    }

    private static Instance moreAlive(Instance one, Instance other) {
        return one.status().compareTo(other.status()) <= 0 ? one : other;
    }

    private void onFailure(String call, String what, UniserveException error) {
        problems.put(call, what + " failed: " + error.getMessage());
        LOG.warn("scaling: provider {}: {} failed: {}", provider.name(), what, error.getMessage());
    }

    /** Next states of all instances, as far as the provider and the registry show them. */
    ScalingRecord next(ScalingRecord record) {
        ScalingRecord next = record;
        for (ScalingInstance instance : record.instances()) {
            next = next(next, instance, listed.get(instance.token()));
        }
        return next;
    }

    /** Description of an instance of this cluster without a record; empty if there is none. It is left alone. */
    Optional<String> unknownInstance(ScalingRecord record) {
        return listed.values().stream()
                .filter(found -> found.status() != Status.ENDED && ScalingInstance.isToken(found.token()))
                .filter(found -> record.find(found.token()).isEmpty())
                .findFirst()
                .map(found -> "instance " + found.id() + " has no record and is left alone: check whether server "
                        + ScalingInstance.serverId(found.token()) + " has data, then terminate it at the provider");
    }

    private ScalingRecord next(ScalingRecord record, ScalingInstance old, @Nullable Instance found) {
        ScalingInstance known = found != null && old.instanceId().isEmpty() ? old.withInstanceId(found.id()) : old;
        ScalingRecord same = known.equals(old) ? record : record.with(known);
        boolean registered = leader.members().find(known.serverId()) != null;
        boolean ended = found == null || found.status() == Status.ENDED;
        if (found != null || registered) {
            absentSince.remove(known.token());
        }
        return switch (known.state()) {
            case REQUESTED, LAUNCHED -> joining(same, known, found, registered);
            case JOINED, DRAINING ->
                ended && !registered && isLost(known, found)
                        ? gone(same, known, "the provider no longer runs it")
                        : same;
            case TERMINATING ->
                everListed && ended && !registered && mayForget(known, found)
                        ? gone(same, known, known.reason())
                        : same;
            case ENDED -> {
                if (!ended) {
                    yield withUnwanted(same, known, "the provider still runs it");
                }
                if (ages.nanos(known) > config.endedNanos()) {
                    ages.forget(known.token());
                    yield same.without(known.token());
                }
                yield same;
            }
        };
    }

    /**
     * True if the instance is gone. One that is not listed may still appear, because the provider lists late, or its launch takes effect
     * late.
     */
    private boolean mayForget(ScalingInstance instance, @Nullable Instance found) {
        return found != null || ages.nanos(instance) > config.launchNanos();
    }

    /**
     * The record with the instance as TERMINATING; as JOINED if an actor needs it. A server may get replicas before its state says that it
     * has joined, and be away when this leader looks.
     */
    private ScalingRecord withUnwanted(ScalingRecord record, ScalingInstance instance, String why) {
        Optional<String> occupied = ScalingBlockers.occupyingActor(leader, instance.serverId());
        return occupied.isPresent()
                ? record.with(to(instance, State.JOINED, why + ", but " + occupied.get()))
                        .withEffect(instance.token(), "kept: " + occupied.get())
                : record.with(to(instance, State.TERMINATING, why)).withEffect(instance.token(), FAILED + why);
    }

    /** True if the provider has ended a server that was in use, or has not listed it for long. */
    private boolean isLost(ScalingInstance instance, @Nullable Instance found) {
        if (found != null) {
            return true;
        }
        long now = leader.env().clock().nanos();
        return everListed && now - absentSince.computeIfAbsent(instance.token(), unused -> now) > config.launchNanos();
    }

    private ScalingRecord joining(
            ScalingRecord record, ScalingInstance instance, @Nullable Instance found, boolean registered) {
        String millis = ages.nanos(instance) / 1_000_000 + " ms";
        if (registered) {
            Optional<String> unsuitable = unsuitableReason(instance);
            if (unsuitable.isPresent()) {
                return withUnwanted(record, instance, unsuitable.get());
            }
            return record.with(to(instance, State.JOINED, instance.reason()))
                    .withEffect(instance.token(), "joined, " + servers());
        }
        if (found != null && found.status() == Status.ENDED) {
            return record.with(to(instance, State.TERMINATING, "it ended before it joined"))
                    .withEffect(instance.token(), FAILED + "it ended after " + millis + ", before it joined");
        }
        if (ages.nanos(instance) > config.launchNanos()) {
            String why = "it did not join in " + config.launchNanos() / 1_000_000_000 + " s"
                    + (problem().isEmpty() ? "" : "; " + problem());
            return withUnwanted(record, instance, why);
        }
        if (instance.state() == State.REQUESTED && found != null) {
            return record.with(to(instance, State.LAUNCHED, instance.reason()));
        }
        return record;
    }

    /** Reason why a server that registered is of no use: its release is older than the coordinator's, or it lacks the port of a table. */
    private Optional<String> unsuitableReason(ScalingInstance instance) {
        ServerRecord server = leader.members().find(instance.serverId());
        if (server != null && server.release().isOlderThan(Release.CURRENT)) {
            return Optional.of("its release " + server.release() + " is older than " + Release.CURRENT
                    + " of the coordinator: correct the template");
        }
        for (Table table : leader.catalog().tables()) {
            if (server != null && !ClusterView.offersPort(server, table.meta.port())) {
                return Optional.of("it offers no port " + table.meta.port() + ", which table " + table.meta.name()
                        + " needs: correct the template or the build");
            }
        }
        return Optional.empty();
    }

    private ScalingRecord gone(ScalingRecord record, ScalingInstance instance, String why) {
        absentSince.remove(instance.token());
        ScalingRecord next = record.with(to(instance, State.ENDED, why));
        if (instance.state() != State.TERMINATING) {
            return next.withEffect(instance.token(), "lost: " + why);
        }
        return record.isUnderWay(instance.token()) ? next.withEffect(instance.token(), "left, " + servers()) : next;
    }

    private String servers() {
        int live = leader.liveServers().size();
        return live + (live == 1 ? " server" : " servers");
    }

    /** The instance in another state, written by this term. */
    ScalingInstance to(ScalingInstance instance, State state, String why) {
        return instance.with(
                state, leader.registry().term(), leader.env().clock().wallMillis(), why);
    }

    /** Sends the calls that the recorded states require. */
    void call(ScalingRecord record) {
        calls.keySet().removeIf(token -> isDone(record, token));
        problems.keySet().removeIf(token -> !token.equals(LIST) && isDone(record, token));
        for (ScalingInstance instance : record.instances()) {
            Instance found = listed.get(instance.token());
            boolean stopped = found != null && found.status() == Status.STOPPED;
            if (instance.state() == State.REQUESTED || instance.isWanted() && stopped) {
                launch(instance);
            } else if (instance.state() == State.TERMINATING) {
                String id = found == null ? instance.instanceId() : found.id();
                boolean ended = found != null && found.status() == Status.ENDED;
                boolean empty = ScalingBlockers.occupyingActor(leader, instance.serverId())
                        .isEmpty();
                if (!id.isEmpty() && !ended && empty) {
                    terminate(instance, id);
                }
            }
        }
    }

    private static boolean isDone(ScalingRecord record, String token) {
        return record.find(token)
                .filter(instance -> instance.state() != State.ENDED)
                .isEmpty();
    }

    private @Nullable Call free(ScalingInstance instance) {
        Call call = calls.computeIfAbsent(instance.token(), unused -> new Call());
        long now = leader.env().clock().nanos();
        return call.inFlight || now - call.notBeforeNanos < 0 && call.failures > 0 ? null : call;
    }

    private void launch(ScalingInstance instance) {
        Call call = free(instance);
        if (call == null) {
            return;
        }
        call.inFlight = true;
        ServerProvider.Launch launch = new ServerProvider.Launch(
                identity,
                instance.token(),
                instance.serverId(),
                config.template(),
                leader.registry().term());
        LOG.info("scaling: launches {}: {}", instance.serverId(), instance.reason());
        Completion<Instance> completion = leader.registry().scoped(once(outcome -> {
            if (outcome instanceof Outcome.Ok<Instance> ok) {
                listed.putIfAbsent(instance.token(), ok.value());
            }
            onCalled(instance, call, "launch of ", outcome);
        }));
        call(() -> provider.launch(launch, completion), completion);
    }

    private void terminate(ScalingInstance instance, String id) {
        Call call = free(instance);
        if (call == null) {
            return;
        }
        call.inFlight = true;
        LOG.info("scaling: terminates {}, instance {}: {}", instance.serverId(), id, instance.reason());
        Completion<Done> completion =
                leader.registry().scoped(once(outcome -> onCalled(instance, call, "termination of ", outcome)));
        call(() -> provider.terminate(id, completion), completion);
    }

    private void onCalled(ScalingInstance instance, Call call, String what, Outcome<?> outcome) {
        call.inFlight = false;
        long now = leader.env().clock().nanos();
        if (outcome instanceof Outcome.Ok) {
            call.failures = 1; // the effect shows in a list; repeat the call if it does not
            problems.remove(instance.token());
        } else {
            call.failures = Math.min(call.failures + 1, BACKOFF_DOUBLINGS_MAX);
            onFailure(instance.token(), what + instance.serverId(), outcome.error());
        }
        call.notBeforeNanos = now + (config.callNanos() << call.failures - 1);
    }
}
