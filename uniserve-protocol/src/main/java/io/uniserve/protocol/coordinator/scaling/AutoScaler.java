package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.ScalingEvent;
import io.uniserve.model.registry.ScalingEvent.Action;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingInstance.State;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.placement.ScalingDecision;
import io.uniserve.placement.ScalingView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.LoadCollector;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.coordinator.table.RetryBudget;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply.Load;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Auto-scaler of one term (Uniserve paper, sections 4.5 and 6.2). At every tick it compares the recorded instances with the provider and the
 * registered servers, and writes and calls what follows. At the end of each period it runs the policy on the mean loads, and records its
 * decision if nothing speaks against it.
 *
 * <p>A server is removed in three recorded steps: it is drained; it is certified empty by the maps of this term; only then the provider may
 * terminate it. All state that must survive is in {@link ScalingRecord}; loads and agreement of periods start anew with each leader.
 */
public final class AutoScaler {
    private static final Logger LOG = LoggerFactory.getLogger(AutoScaler.class);

    private static final String TAKEN_BACK = "taken back: ";
    private static final int FAILED_DOUBLINGS_MAX = 6;

    private final LeaderContext leader;
    private final ScalingSetup setup;
    private final ScalingConfig config;
    private final Supplier<List<String>> operations;
    private final ScalingStore store;
    private final StateAges ages;
    private final InstanceReconciler instances;
    private final LoadWindow window = new LoadWindow();
    private final DecisionAgreement agreement;
    private long nextSampleNanos;
    private boolean sampling;
    private long policyStartNanos;
    private boolean policyRunning;
    private boolean restored;
    private String state = "begins";

    /**
     * Creates the auto-scaler of a term.
     *
     * @param identity identity of the cluster
     * @param operations descriptions of operations during which no server may go
     */
    public AutoScaler(LeaderContext leader, ScalingSetup setup, String identity, Supplier<List<String>> operations) {
        this.leader = leader;
        this.setup = setup;
        this.config = setup.config();
        this.operations = operations;
        this.store = new ScalingStore(leader);
        this.ages = new StateAges(leader.env().clock());
        this.instances = new InstanceReconciler(leader, config, setup.provider(), identity, ages);
        this.agreement = new DecisionAgreement(config);
        this.nextSampleNanos = now();
    }

    private long now() {
        return leader.env().clock().nanos();
    }

    /** Called at every tick of the coordinator, once the leader has read its state. */
    public void tick() {
        store.readIfUnread();
        if (!store.isReady()) {
            return;
        }
        ScalingRecord record = store.record();
        if (!restored) {
            restored = true;
            restoreDirection(record);
        }
        if (config.isEnabled() || !record.instances().isEmpty()) {
            instances.list();
        }
        if (!reconcile(record)) {
            instances.call(record);
            sample();
        }
    }

    /** Takes the direction and the time of the last change from the record, as far as the wall clock can be believed. */
    private void restoreDirection(ScalingRecord record) {
        List<ScalingEvent> events = record.events();
        if (!events.isEmpty()) {
            ScalingEvent last = events.get(events.size() - 1);
            long start = now() - ages.believedMillis(last.atMillis()) * 1_000_000;
            if (last.action() == Action.ADD) {
                agreement.onAdded(start);
            } else if (!last.effect().startsWith(TAKEN_BACK)) {
                agreement.onRemoved(start);
            }
        }
    }

    /** Writes the next states of the instances, if they differ; returns true if it does. */
    private boolean reconcile(ScalingRecord record) {
        ScalingRecord next = instances.next(record);
        for (ScalingInstance instance : next.instances()) {
            if (instance.state() == State.DRAINING) {
                next = continueDrain(next, instance);
            }
        }
        ClusterRecord cluster = leader.catalog().cluster();
        ClusterRecord nextCluster = withDrained(cluster, record, next);
        if (next.equals(record) && nextCluster.equals(cluster)) {
            return false;
        }
        if (servers(next) != servers(record)) {
            agreement.onChange(now());
            window.clear();
        }
        store.write(next, nextCluster.equals(cluster) ? null : nextCluster, written -> {});
        return true;
    }

    private static long servers(ScalingRecord record) {
        return record.instances().stream()
                .filter(one -> one.state() == State.JOINED || one.state() == State.DRAINING)
                .count();
    }

    /**
     * The cluster's record with the servers that must have no replicas. A server that is terminated stays drained until its record goes: a
     * launch that takes effect late must not bring it back into use.
     */
    private static ClusterRecord withDrained(ClusterRecord cluster, ScalingRecord before, ScalingRecord after) {
        ClusterRecord next = cluster;
        for (ScalingInstance old : before.instances()) {
            boolean isUsed = after.find(old.token())
                    .filter(now -> now.state() == State.JOINED)
                    .isPresent();
            if (after.find(old.token()).isEmpty() || isUsed && old.state() != State.JOINED) {
                next = next.withDrained(old.serverId(), false);
            }
        }
        for (ScalingInstance now : after.instances()) {
            if (now.state() == State.TERMINATING || now.state() == State.ENDED) {
                next = next.withDrained(now.serverId(), true);
            }
        }
        return next;
    }

    /** Certifies the server as empty, or takes the removal back if it is no longer safe or takes too long. */
    private ScalingRecord continueDrain(ScalingRecord record, ScalingInstance instance) {
        ScalingBlockers blockers = new ScalingBlockers(leader, record, operations.get());
        List<String> reasons = blockers.ofContinuedRemoval();
        boolean drained = leader.catalog().cluster().drainedServers().contains(instance.serverId());
        if (!reasons.isEmpty() || !drained || ages.nanos(instance) > config.drainNanos()) {
            String why = !reasons.isEmpty()
                    ? reasons.get(0)
                    : drained
                            ? "it was not empty after " + config.drainNanos() / 1_000_000_000 + " s"
                            : "an operator has undone the drain";
            return takeBack(record, instance, why);
        }
        Optional<String> occupied = ScalingBlockers.occupyingActor(leader, instance.serverId())
                .or(() -> blockers.ofCertificate().stream().findFirst());
        if (occupied.isPresent()) {
            state = instance.serverId() + " is being drained: " + occupied.get();
            return record;
        }
        agreement.onRemoved(now());
        return record.with(instances.to(instance, State.TERMINATING, instance.reason()));
    }

    /** The record with the server in use again. */
    private ScalingRecord takeBack(ScalingRecord record, ScalingInstance instance, String why) {
        LOG.warn("scaling: keeps {}: {}", instance.serverId(), why);
        agreement.onChange(now());
        return record.with(instances.to(instance, State.JOINED, why)).withEffect(instance.token(), TAKEN_BACK + why);
    }

    private void sample() {
        long now = now();
        if (!config.isEnabled() || sampling || now - nextSampleNanos < 0) {
            return;
        }
        sampling = true;
        nextSampleNanos = now + config.periodNanos() / ScalingConfig.SAMPLES;
        LoadCollector.run(leader, this::onLoads);
    }

    private void onLoads(List<Load> loads) {
        sampling = false;
        window.add(loads);
        if (policyRunning) {
            if (now() - policyStartNanos > config.policyNanos()) {
                state = "the policy has not answered in " + config.policyNanos() / 1_000_000_000
                        + " s: correct it and restart the coordinator";
            }
            return;
        }
        if (!window.isFull()) {
            state = state.equals("begins") ? "collects loads" : state;
            return;
        }
        if (!store.isReady()) {
            return;
        }
        policyRunning = true;
        policyStartNanos = now();
        ScalingView view = view();
        window.clear();
        setup.background()
                .run(
                        () -> Objects.requireNonNull(setup.policy().decide(view), "the decision"),
                        leader.registry().scoped(outcome -> onDecision(view, outcome)));
    }

    private ScalingBlockers blockers() {
        return new ScalingBlockers(leader, store.record(), operations.get());
    }

    /** Reasons why no server may be added. */
    private List<String> addReasons() {
        List<String> reasons = blockers().ofAddition();
        instances.restartReason(store.record()).ifPresent(reasons::add);
        failedLaunches().ifPresent(reasons::add);
        return reasons;
    }

    /** Reason to wait after launches that brought no server into use: the time-out of launches, doubled with each of them, at most a day. */
    private Optional<String> failedLaunches() {
        List<ScalingEvent> events = store.record().events();
        int failed = 0;
        while (failed < events.size()
                && events.get(events.size() - 1 - failed).effect().startsWith(InstanceReconciler.FAILED)) {
            failed++;
        }
        if (failed == 0) {
            return Optional.empty();
        }
        ScalingEvent last = events.get(events.size() - 1);
        long age = ages.believedMillis(last.atMillis());
        long wait = Math.min(
                StateAges.AGE_MILLIS_MAX, config.launchNanos() / 1_000_000 << Math.min(failed, FAILED_DOUBLINGS_MAX));
        return age < wait
                ? Optional.of("the last " + failed + " launches failed, the next is in " + (wait - age) / 1_000 + " s; "
                        + last.effect())
                : Optional.empty();
    }

    /** Number of servers that exist or may: registered ones, and recorded ones that have not ended. */
    private int existingServers() {
        Set<ServerId> all = new TreeSet<>();
        leader.members().servers().forEach(server -> all.add(server.id()));
        store.record().instances().stream()
                .filter(one -> one.state() != State.ENDED)
                .forEach(one -> all.add(one.serverId()));
        return all.size();
    }

    private ScalingView view() {
        return ScalingViewBuilder.of(leader, window, blockers());
    }

    private void onDecision(ScalingView view, Outcome<ScalingDecision> outcome) {
        policyRunning = false;
        if (!(outcome instanceof Outcome.Ok<ScalingDecision> ok)) {
            agreement.reset();
            state = "the policy failed: " + outcome.error().getMessage();
            LOG.warn("scaling: {}", state);
            return;
        }
        ScalingDecision decision = ok.value();
        Optional<String> refusal = DecisionChecker.refusal(decision, view, config);
        if (refusal.isPresent()) {
            agreement.reset();
            state = "the policy's decision was refused: " + refusal.get();
            LOG.warn("scaling: {}", state);
            return;
        }
        if (store.isReady() && now() - policyStartNanos <= config.policyNanos()) {
            act(decision, view);
        }
    }

    private void act(ScalingDecision decision, ScalingView view) {
        state = decision.reason();
        Optional<String> wait = agreement.waitReason(decision, view.servers().size(), now());
        if (decision.isNone() || wait.isPresent()) {
            wait.ifPresent(why -> state = decision.reason() + "; " + why);
            return;
        }
        if (decision.add() > 0 && takeDrainBack()) {
            return;
        }
        List<String> reasons = decision.add() > 0 ? addReasons() : blockers().ofRemoval();
        if (!reasons.isEmpty()) {
            state = decision.reason() + "; waits: " + reasons.get(0);
            return;
        }
        if (!instances.hasListed()) {
            state = decision.reason() + "; waits: the provider has not listed its servers"
                    + (instances.problem().isEmpty() ? "" : ", " + instances.problem());
            return;
        }
        Optional<String> refusal = DecisionChecker.refusal(decision, view(), config);
        int room = Math.min(
                config.serversMax() - existingServers(),
                Limits.SCALING_INSTANCES_MAX - store.record().instances().size());
        if (refusal.isPresent() || decision.add() > 0 && room <= 0) {
            state = decision.reason() + "; waits: "
                    + refusal.orElseGet(() -> existingServers() + " servers exist, some of which are away or ending");
            return;
        }
        String why = decision.reason();
        if (decision.add() > 0) {
            add(Math.min(room, decision.add()), why);
        } else {
            remove(decision.remove().get(0), why);
        }
    }

    /** Takes a removal back because servers are needed; returns true if there was one. */
    private boolean takeDrainBack() {
        Optional<ScalingInstance> draining = store.record().instances().stream()
                .filter(one -> one.state() == State.DRAINING)
                .findFirst();
        draining.ifPresent(one -> store.write(
                takeBack(store.record(), one, "the load has risen"),
                leader.catalog().cluster().withDrained(one.serverId(), false),
                written -> {}));
        return draining.isPresent();
    }

    private void add(int servers, String why) {
        ScalingRecord next = store.record();
        long millis = leader.env().clock().wallMillis();
        for (int i = 0; i < servers && next.instances().size() < Limits.SCALING_INSTANCES_MAX; i++) {
            String token = String.format(
                    Locale.ROOT,
                    "%016x%016x",
                    leader.env().ids().next(),
                    leader.env().ids().next());
            next = next.with(new ScalingInstance(
                            token, "", State.REQUESTED, leader.registry().term(), millis, why))
                    .with(new ScalingEvent(millis, token, Action.ADD, why, ""));
        }
        LOG.info("scaling: adds {} servers: {}", servers, why);
        agreement.onAdded(now());
        store.write(next, () -> instances.call(store.record()));
    }

    private void remove(ServerId server, String why) {
        ScalingRecord record = store.record();
        ScalingInstance instance = record.instances().stream()
                .filter(one -> one.serverId().equals(server))
                .findFirst()
                .orElseThrow();
        LOG.info("scaling: removes {}: {}", server, why);
        ScalingRecord next = record.with(instances.to(instance, State.DRAINING, why))
                .with(new ScalingEvent(leader.env().clock().wallMillis(), instance.token(), Action.REMOVE, why, ""));
        agreement.reset();
        store.write(next, leader.catalog().cluster().withDrained(server, true), written -> {});
    }

    /** Holds or resumes scaling at an operator's request. */
    public void hold(AdminRequest.HoldScaling request, PendingAdminReply reply) {
        hold(request.reason(), reply, new RetryBudget(leader, reply, "the registry did not confirm it: ask again"));
    }

    private void hold(String reason, PendingAdminReply reply, RetryBudget budget) {
        if (!reply.isOpen()) {
            return;
        }
        if (!store.isReady()) {
            budget.retry(() -> hold(reason, reply, budget));
        } else if (store.record().hold().equals(reason)) {
            reply.ok(new AdminReply.Ack());
        } else {
            store.write(store.record().withHold(reason), null, written -> {
                if (written.isApplied()) {
                    LOG.info("scaling: {}", reason.isEmpty() ? "resumed" : "held: " + reason);
                    reply.ok(new AdminReply.Ack());
                } else if (written.error() != null) {
                    reply.fail(written.error());
                } else {
                    budget.retry(() -> hold(reason, reply, budget));
                }
            });
        }
    }

    /** State, reasons and last decisions, for operators. */
    public AdminReply.Scaling report() {
        requireRead();
        ScalingView view = view();
        List<String> additions = addReasons();
        return new AdminReply.Scaling(
                config.isEnabled() ? state : "off: set uniserve.coordinator.scaling.provider",
                store.record(),
                view.servers(),
                additions.stream()
                        .findFirst()
                        .or(() -> agreement.pauseReason(now()))
                        .orElse(""),
                instances.problem().isEmpty()
                        ? instances.unknownInstance(store.record()).orElse("")
                        : instances.problem());
    }

    /** True if the server has been or is being terminated, so that it must stay drained. */
    public boolean isEnding(ServerId server) {
        return store.record().instances().stream()
                .anyMatch(one -> one.serverId().equals(server)
                        && (one.state() == State.TERMINATING || one.state() == State.ENDED));
    }

    private void requireRead() {
        if (!store.wasRead()) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE, "the new leader is still reading the auto-scaler's record: retry later");
        }
    }
}
