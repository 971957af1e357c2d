package io.uniserve.protocol.coordinator.election;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leader election through ZooKeeper. A candidate creates the ephemeral leader node, and then takes a new term by one Set on the term node.
 * The znode version of the term node is the term. The leader node only shows the leader's address. Safety depends on the term alone: of two
 * coordinators that both act as leader, at most one can write.
 */
public final class LeaderElection {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderElection.class);

    private final CoordinatorConfig config;
    private final CoordinatorEnvironment env;
    private final Listener listener;
    private CoordinatorRecord self;
    private Phase phase = Phase.STOPPED;
    private long attempt;
    private int term = Registry.ABSENT;
    private boolean watching;
    private @Nullable CoordinatorRecord leader;

    public LeaderElection(CoordinatorConfig config, CoordinatorEnvironment env, Listener listener) {
        this.config = config;
        this.env = env;
        this.listener = listener;
        this.self = identity();
    }

    /** A unique name per session, so that a leader node of an earlier session of this process counts as another's. */
    private CoordinatorRecord identity() {
        return new CoordinatorRecord(
                config.id() + "." + Long.toHexString(env.ids().next()), config.address(), config.closed());
    }

    public void start() {
        phase = Phase.IDLE;
        campaign();
    }

    /** Gives up leadership. {@code done} runs when the leader node is deleted or the attempt has failed. */
    public void stop(Runnable done) {
        boolean led = phase == Phase.LEADING;
        enterPhase(Phase.STOPPED);
        if (!led) {
            done.run();
            return;
        }
        List<Op> ops = List.of(new Op.Check(RegistryPaths.TERM, term), new Op.Delete(RegistryPaths.LEADER, 0));
        env.registry().multi(ops, outcome -> done.run());
    }

    /** Steps down, after the term check or the registry has shown that this coordinator is no longer the leader. */
    public void stepDown() {
        if (phase == Phase.LEADING) {
            enterPhase(Phase.IDLE);
            runLater(this::campaign);
        }
    }

    /** The last known leader, possibly this process; null if there is none. */
    @Nullable
    public CoordinatorRecord leader() {
        return leader;
    }

    public void onSession(SessionEvent event) {
        if (phase == Phase.STOPPED || event == SessionEvent.SUSPENDED) {
            return;
        }
        if (event == SessionEvent.CONNECTED) {
            if (phase == Phase.IDLE) {
                campaign();
            }
            return;
        }
        boolean led = phase == Phase.LEADING;
        watching = false;
        leader = null;
        self = identity();
        enterPhase(Phase.IDLE);
        if (led) {
            listener.onLeadershipLost("the registry session expired");
        } else {
            listener.onSessionEnded();
        }
        runLater(this::campaign);
    }

    private void campaign() {
        if (phase != Phase.IDLE) {
            return;
        }
        enterPhase(Phase.CAMPAIGNING);
        Op create = new Op.Create(RegistryPaths.LEADER, self, true);
        env.registry().multi(List.of(create), guarded(outcome -> {
            if (outcome instanceof Outcome.Ok<MultiResult> ok && ok.value().applied()) {
                takeTerm();
            } else {
                synced(this::readLeader);
            }
        }));
    }

    private void readLeader() {
        env.registry().read(RegistryPaths.LEADER, guarded(outcome -> {
            if (!(outcome instanceof Outcome.Ok<Versioned> ok)) {
                retry();
            } else if (ok.value().value() instanceof CoordinatorRecord found) {
                if (found.equals(self)) {
                    takeTerm();
                } else {
                    standBy(found);
                }
            } else {
                leader = null;
                listener.onLeaderChanged();
                enterPhase(Phase.IDLE);
                campaign();
            }
        }));
    }

    private void standBy(CoordinatorRecord found) {
        if (!found.equals(leader)) {
            LOG.info("coordinator {}: standing by, the leader is {}", config.id(), found.address());
            leader = found;
            listener.onLeaderChanged();
            if (phase == Phase.STOPPED) {
                return; // the listener refuses this leader
            }
        }
        enterPhase(Phase.FOLLOWING);
        watch();
        poll();
    }

    /** Polls the leader node, in case a watch is late or lost. */
    private void poll() {
        long mine = attempt;
        env.timers().after(2 * config.tickNanos(), () -> {
            if (mine == attempt) {
                leaderChanged();
            }
        });
    }

    private void watch() {
        if (!watching) {
            watching = true;
            env.registry().watch(RegistryPaths.LEADER, this::leaderChanged);
        }
    }

    private void leaderChanged() {
        if (phase == Phase.FOLLOWING) {
            enterPhase(Phase.FOLLOWING);
            readLeader();
        } else if (phase == Phase.LEADING) {
            checkStillLeader();
        }
    }

    private void checkStillLeader() {
        env.registry().read(RegistryPaths.LEADER, guarded(outcome -> {
            if (outcome instanceof Outcome.Ok<Versioned> ok
                    && !self.equals(ok.value().value())) {
                leader = null;
                enterPhase(Phase.IDLE);
                listener.onLeadershipLost("the leader node is gone or belongs to another coordinator");
                runLater(this::campaign);
            }
        }));
    }

    private void takeTerm() {
        synced(() -> env.registry().read(RegistryPaths.TERM, guarded(outcome -> {
            if (outcome instanceof Outcome.Ok<Versioned> ok) {
                writeTerm(ok.value().version());
            } else {
                retry();
            }
        })));
    }

    private void writeTerm(int version) {
        TermRecord record = new TermRecord(self.id());
        boolean first = version == Registry.ABSENT;
        Op op = first
                ? new Op.Create(RegistryPaths.TERM, record, false)
                : new Op.Set(RegistryPaths.TERM, record, version);
        env.registry().multi(List.of(op), guarded(outcome -> {
            boolean applied =
                    outcome instanceof Outcome.Ok<MultiResult> ok && ok.value().applied();
            if (applied && !first) {
                onElected(version + 1);
            } else if (applied) {
                takeTerm();
            } else {
                retry();
            }
        }));
    }

    private void onElected(int newTerm) {
        term = newTerm;
        leader = self;
        enterPhase(Phase.LEADING);
        watch();
        LOG.info("coordinator {}: elected leader in term {}", config.id(), newTerm);
        listener.onElected(newTerm);
    }

    /** Restarts the campaign from the registry's state, after a conflict or an unknown outcome. */
    private void retry() {
        enterPhase(Phase.IDLE);
        runLater(this::campaign);
    }

    private void synced(Runnable then) {
        env.registry().sync(guarded(outcome -> {
            if (outcome instanceof Outcome.Ok) {
                then.run();
            } else {
                retry();
            }
        }));
    }

    private void runLater(Runnable task) {
        long mine = attempt;
        env.timers().after(config.tickNanos(), () -> {
            if (mine == attempt) {
                task.run();
            }
        });
    }

    private void enterPhase(Phase next) {
        attempt++;
        phase = next;
    }

    /** Drops completions of an earlier attempt. */
    private <T> Completion<T> guarded(Consumer<Outcome<T>> then) {
        long mine = attempt;
        return outcome -> {
            if (mine == attempt) {
                then.accept(outcome);
            }
        };
    }

    /** The error with which a standby rejects requests. */
    public io.uniserve.error.UniserveException notLeader() {
        CoordinatorRecord known = leader;
        String where = known == null || known.equals(self)
                ? "no leader is elected yet: retry later"
                : "the leader is at " + known.address() + ": send the request there";
        return new io.uniserve.error.UniserveException(
                ErrorCode.NOT_LEADER, "coordinator " + config.id() + " is not the leader: " + where);
    }

    private enum Phase {
        STOPPED,
        IDLE,
        CAMPAIGNING,
        FOLLOWING,
        LEADING
    }

    /** Receiver of the results of the election. */
    public interface Listener {
        void onElected(int term);

        void onLeadershipLost(String reason);

        /** The session of a standby has ended, and its watches are gone. */
        void onSessionEnded();

        /** The known leader has changed. */
        void onLeaderChanged();
    }
}
