package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.CoordinatorRecord;
import io.uniserve.model.TermRecord;
import io.uniserve.protocol.RegistryPaths;
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
 * Election through the registry. Whoever creates the ephemeral leader node then takes a new term by one Set on the term
 * node; the node's version is the term. The leader node only says who should lead: the term alone guards writes, so two that
 * think they lead can never both write.
 */
final class Election {
    private static final Logger LOG = LoggerFactory.getLogger(Election.class);

    private final CoordinatorConfig config;
    private final CoordinatorEnvironment env;
    private final Listener listener;
    private CoordinatorRecord self;
    private Phase phase = Phase.STOPPED;
    private long attempt;
    private int term = Registry.ABSENT;
    private boolean watching;
    private @Nullable CoordinatorRecord leader;

    Election(CoordinatorConfig config, CoordinatorEnvironment env, Listener listener) {
        this.config = config;
        this.env = env;
        this.listener = listener;
        this.self = identity();
    }

    /** A name of this session: a node left by an earlier session of this process is not ours. */
    private CoordinatorRecord identity() {
        return new CoordinatorRecord(
                config.id() + "." + Long.toHexString(env.ids().next()), config.address());
    }

    void start() {
        phase = Phase.IDLE;
        campaign();
    }

    /** Gives leadership up; {@code done} runs when the leader node is gone or cannot be reached. */
    void stop(Runnable done) {
        boolean led = phase == Phase.LEADING;
        enter(Phase.STOPPED);
        if (!led) {
            done.run();
            return;
        }
        List<Op> ops = List.of(new Op.Check(RegistryPaths.TERM, term), new Op.Delete(RegistryPaths.LEADER, 0));
        env.registry().multi(ops, outcome -> done.run());
    }

    /** The term check or the registry said that this coordinator leads no more. */
    void deposed() {
        if (phase == Phase.LEADING) {
            enter(Phase.IDLE);
            later(this::campaign);
        }
    }

    /** The leader last seen, this process included; null while there is none. */
    @Nullable
    CoordinatorRecord leader() {
        return leader;
    }

    void onSession(SessionEvent event) {
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
        enter(Phase.IDLE);
        if (led) {
            listener.lost("the registry session expired");
        } else {
            listener.sessionEnded();
        }
        later(this::campaign);
    }

    private void campaign() {
        if (phase != Phase.IDLE) {
            return;
        }
        enter(Phase.CAMPAIGNING);
        Op create = new Op.Create(RegistryPaths.LEADER, self, true);
        env.registry().multi(List.of(create), guarded(outcome -> {
            if (outcome instanceof Outcome.Ok<MultiResult> ok && ok.value().applied()) {
                takeTerm();
            } else {
                synced(this::lookAtLeader);
            }
        }));
    }

    private void lookAtLeader() {
        env.registry().read(RegistryPaths.LEADER, guarded(outcome -> {
            if (!(outcome instanceof Outcome.Ok<Versioned> ok)) {
                retry();
            } else if (ok.value().value() instanceof CoordinatorRecord found) {
                if (found.equals(self)) {
                    takeTerm();
                } else {
                    follow(found);
                }
            } else {
                leader = null;
                listener.leaderChanged();
                enter(Phase.IDLE);
                campaign();
            }
        }));
    }

    private void follow(CoordinatorRecord found) {
        if (!found.equals(leader)) {
            LOG.info("coordinator {} stands by, {} leads", config.id(), found.address());
            leader = found;
            listener.leaderChanged();
        }
        enter(Phase.FOLLOWING);
        watch();
        poll();
    }

    /** Looks again now and then, in case a watch is late or lost. */
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
            enter(Phase.FOLLOWING);
            lookAtLeader();
        } else if (phase == Phase.LEADING) {
            checkStillLeader();
        }
    }

    private void checkStillLeader() {
        env.registry().read(RegistryPaths.LEADER, guarded(outcome -> {
            if (outcome instanceof Outcome.Ok<Versioned> ok
                    && !self.equals(ok.value().value())) {
                leader = null;
                enter(Phase.IDLE);
                listener.lost("the leader node is gone or another's");
                later(this::campaign);
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
                lead(version + 1);
            } else if (applied) {
                takeTerm();
            } else {
                retry();
            }
        }));
    }

    private void lead(int newTerm) {
        term = newTerm;
        leader = self;
        enter(Phase.LEADING);
        watch();
        LOG.info("coordinator {} leads in term {}", config.id(), newTerm);
        listener.elected(newTerm);
    }

    /** An outcome that is unknown or a conflict that may be old news: start again from what the registry says. */
    private void retry() {
        enter(Phase.IDLE);
        later(this::campaign);
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

    private void later(Runnable task) {
        long mine = attempt;
        env.timers().after(config.tickNanos(), () -> {
            if (mine == attempt) {
                task.run();
            }
        });
    }

    private void enter(Phase next) {
        attempt++;
        phase = next;
    }

    /** Drops completions of an attempt that is over. */
    private <T> Completion<T> guarded(Consumer<Outcome<T>> then) {
        long mine = attempt;
        return outcome -> {
            if (mine == attempt) {
                then.accept(outcome);
            }
        };
    }

    /** The refusal a coordinator gives that does not lead. */
    io.uniserve.error.UniserveException notLeader() {
        CoordinatorRecord known = leader;
        String where = known == null || known.equals(self)
                ? "no leader is elected yet; try again"
                : "the leader is at " + known.address() + "; ask there";
        return new io.uniserve.error.UniserveException(
                ErrorCode.NOT_LEADER, "coordinator " + config.id() + " does not lead: " + where);
    }

    private enum Phase {
        STOPPED,
        IDLE,
        CAMPAIGNING,
        FOLLOWING,
        LEADING
    }

    /** Hears the result. */
    interface Listener {
        void elected(int term);

        void lost(String reason);

        /** The session of a coordinator that does not lead has ended: its watches are gone. */
        void sessionEnded();

        /** Another leader is known. */
        void leaderChanged();
    }
}
