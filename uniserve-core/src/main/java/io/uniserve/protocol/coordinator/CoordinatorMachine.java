package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.CoordinatorRecord;
import io.uniserve.model.Routing;
import io.uniserve.placement.InitialPlacement;
import io.uniserve.placement.PlacementPolicy;
import io.uniserve.protocol.RegistryContact;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.identity.IdentifiedRegistry;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coordinator: a single-threaded state machine without I/O of its own. Every method must be called on its loop, and
 * completions run there. Several may run for one cluster; the elected one works, the others stand by and refuse requests with
 * NOT_LEADER and the leader's address. Uses clock, timers, network, registry and ids of the environment.
 */
public final class CoordinatorMachine {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorMachine.class);

    private final CoordinatorConfig config;
    private final CoordinatorEnvironment env;
    private final PlacementPolicy placement;
    private final RebalanceSetup rebalanceSetup;
    private final IdentifiedRegistry identified;
    private final Election election;
    private final List<Consumer<Routing>> routingListeners = new ArrayList<>();
    private final List<Consumer<UniserveException>> fatalListeners = new ArrayList<>();
    private final List<Consumer<String>> identityListeners = new ArrayList<>();
    private final RegistryContact contact;
    private @Nullable LeaderTerm leaderTerm;
    private @Nullable StandbyRouting standbyRouting;
    private boolean started;

    /** A coordinator with the initial placement policy. */
    public CoordinatorMachine(CoordinatorConfig config, Environment env) {
        this(config, CoordinatorEnvironment.of(env), new InitialPlacement());
    }

    /** A coordinator with a placement policy of the caller's, by which nothing moves by itself. */
    public CoordinatorMachine(CoordinatorConfig config, CoordinatorEnvironment env, PlacementPolicy placement) {
        this(config, env, placement, RebalanceSetup.off(env));
    }

    /** A coordinator with policies of the caller's for what is new or lost, and for what should move. */
    public CoordinatorMachine(
            CoordinatorConfig config,
            CoordinatorEnvironment env,
            PlacementPolicy placement,
            RebalanceSetup rebalanceSetup) {
        this.config = config;
        this.identified = new IdentifiedRegistry(
                env.registry(),
                env.timers(),
                config.tickNanos(),
                "coordinator " + config.id() + " at " + config.address(),
                config.clusterId(),
                new IdentityListener());
        this.env = env.with(identified);
        this.placement = placement;
        this.rebalanceSetup = rebalanceSetup;
        this.contact = new RegistryContact(
                "coordinator " + config.id(),
                env.clock().nanos(),
                Long.MAX_VALUE, // it writes only when there is something to change
                "nothing is created, moved or promoted until it is back");
        contact.explainedBy(() -> identified.met().map(UniserveException::reason));
        this.election = new Election(config, this.env, new ElectionListener());
    }

    /** Starts to campaign; called once. */
    public void start() {
        started = true;
        identified.onSession(this::onSession);
        identified.begin();
        follow();
        election.start();
    }

    /** Stops at once; the leader node is deleted in the background. */
    public void stop() {
        stop(() -> {});
    }

    /** Stops at once; {@code done} runs when leadership is given up, so that a standby may take over without delay. */
    public void stop(Runnable done) {
        endReign("it is shutting down");
        endFollower();
        started = false;
        identified.stop();
        election.stop(done);
    }

    /** True while this coordinator holds the term as far as it knows. Only the term check of a write makes sure. */
    public boolean isLeader() {
        return leaderTerm != null;
    }

    /** The term held, or empty while another leads. */
    public Optional<Integer> term() {
        return Optional.ofNullable(leaderTerm).map(r -> r.registry().term());
    }

    /** The leader last seen, this coordinator included. */
    public Optional<Address> leader() {
        return Optional.ofNullable(election.leader()).map(CoordinatorRecord::address);
    }

    /** Tables and live servers, as this coordinator decides them or, standing by, reads them; empty until it has read them. */
    public Optional<Routing> routing() {
        if (leaderTerm != null) {
            return leaderTerm.ready() ? Optional.of(leaderTerm.routing()) : Optional.empty();
        }
        return standbyRouting == null ? Optional.empty() : standbyRouting.routing();
    }

    /** Calls back with the routing after every change of it. */
    public void onRouting(Consumer<Routing> listener) {
        routingListeners.add(listener);
    }

    /** Calls back when this coordinator must not go on, e.g. because the registry belongs to another cluster. */
    public void onFatal(Consumer<UniserveException> listener) {
        fatalListeners.add(listener);
    }

    /** Calls back with the cluster's identity once the registry has shown it. */
    public void onIdentity(Consumer<String> listener) {
        identityListeners.add(listener);
    }

    /** Handles a request of a server. */
    public void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.Ping) {
            completion.done(Outcome.ok(new PeerReply.Pong(config.sender(), 0)));
        } else if (leaderTerm == null) {
            completion.done(Outcome.err(notLeader()));
        } else {
            leaderTerm.onPeer(request, completion);
        }
    }

    /** Handles a request of a client. */
    public void onAdmin(AdminRequest request, Completion<AdminReply> completion) {
        if (leaderTerm == null) {
            completion.done(Outcome.err(notLeader()));
        } else {
            leaderTerm.onAdmin(request, completion);
        }
    }

    private void onSession(Registry.SessionEvent event) {
        long now = env.clock().nanos();
        contact.on(event, now);
        if (event == Registry.SessionEvent.CONNECTED) {
            contact.registered(now); // its node is looked after by the election
        }
        election.onSession(event);
    }

    private UniserveException notLeader() {
        return registryTrouble()
                .map(why -> new UniserveException(
                        ErrorCode.NOT_LEADER, "coordinator " + config.id() + " does not lead: " + why))
                .orElseGet(election::notLeader);
    }

    /** Why this coordinator has no contact with its registry; empty where it has. */
    public Optional<String> registryTrouble() {
        return contact.trouble(env.clock().nanos());
    }

    private void follow() {
        StandbyRouting next = new StandbyRouting(config, env, election::leader, this::push);
        standbyRouting = next;
        next.begin();
    }

    private void endFollower() {
        if (standbyRouting != null) {
            standbyRouting.end();
            standbyRouting = null;
        }
    }

    private void push(Routing routing) {
        routingListeners.forEach(listener -> listener.accept(routing));
    }

    private void endReign(String reason) {
        LeaderTerm ending = leaderTerm;
        if (ending != null) {
            leaderTerm = null;
            LOG.warn(
                    "coordinator {} leads no more in term {}: {}",
                    config.id(),
                    ending.registry().term(),
                    reason);
            ending.end(new UniserveException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "coordinator " + config.id() + " stopped leading (" + reason
                            + ") before the request was answered: look at the table's state, then ask the new leader"));
        }
    }

    private final class ElectionListener implements Election.Listener {
        @Override
        public void elected(int term) {
            endFollower();
            leaderTerm = new LeaderTerm(config, env, placement, rebalanceSetup, term, contact, new ReignListener());
            leaderTerm.begin();
        }

        @Override
        public void lost(String reason) {
            endReign(reason);
            restartFollower();
        }

        @Override
        public void sessionEnded() {
            restartFollower();
        }

        @Override
        public void leaderChanged() {
            if (standbyRouting != null) {
                standbyRouting.push();
            }
        }

        private void restartFollower() {
            endFollower();
            if (started) {
                follow();
            }
        }
    }

    private void fatal(UniserveException error) {
        LOG.error("coordinator {} stops: {}", config.id(), error.getMessage());
        if (started) {
            stop();
        }
        fatalListeners.forEach(listener -> listener.accept(error));
    }

    private final class IdentityListener implements IdentifiedRegistry.Listener {
        @Override
        public void identified(String identity) {
            identityListeners.forEach(listener -> listener.accept(identity));
        }

        @Override
        public void refused(UniserveException why) {
            fatal(why);
        }
    }

    private final class ReignListener implements LeaderTerm.Listener {
        @Override
        public void identified(String identity) {
            identified.learn(identity);
        }

        @Override
        public void deposed() {
            endReign("another coordinator took the term");
            follow();
            election.deposed();
        }

        @Override
        public void fatal(UniserveException error) {
            CoordinatorMachine.this.fatal(error);
        }

        @Override
        public void routing(Routing routing) {
            push(routing);
        }
    }
}
