package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.model.registry.Routing;
import io.uniserve.placement.InitialPlacementPolicy;
import io.uniserve.placement.PlacementPolicy;
import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.coordinator.election.LeaderElection;
import io.uniserve.protocol.coordinator.metadata.StandbyRouting;
import io.uniserve.protocol.coordinator.rebalance.RebalanceSetup;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.identity.ClusterModes;
import io.uniserve.protocol.identity.IdentityCheckingRegistry;
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
 * Coordinator of a cluster, as a single-threaded state machine without I/O of its own. Call every method on its event loop; completions run
 * there too. A cluster may have several coordinators: only the elected leader acts. The others are standbys, and reject requests with
 * NOT_LEADER and the leader's address.
 */
public final class CoordinatorStateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorStateMachine.class);

    private final CoordinatorConfig config;
    private final CoordinatorEnvironment env;
    private final PlacementPolicy placement;
    private final RebalanceSetup rebalanceSetup;
    private final IdentityCheckingRegistry identified;
    private final LeaderElection election;
    private final List<Consumer<Routing>> routingListeners = new ArrayList<>();
    private final List<Consumer<UniserveException>> fatalListeners = new ArrayList<>();
    private final List<Consumer<String>> identityListeners = new ArrayList<>();
    private final RegistryConnectionMonitor contact;
    private @Nullable LeaderTerm leaderTerm;
    private @Nullable StandbyRouting standbyRouting;
    private boolean started;

    /** A coordinator with the initial placement policy. */
    public CoordinatorStateMachine(CoordinatorConfig config, Environment env) {
        this(config, CoordinatorEnvironment.of(env), new InitialPlacementPolicy());
    }

    /** A coordinator with a custom placement policy and without rebalancing. */
    public CoordinatorStateMachine(CoordinatorConfig config, CoordinatorEnvironment env, PlacementPolicy placement) {
        this(config, env, placement, RebalanceSetup.off(env));
    }

    /** A coordinator with custom policies for the placement of new and lost replicas, and for rebalancing. */
    public CoordinatorStateMachine(
            CoordinatorConfig config,
            CoordinatorEnvironment env,
            PlacementPolicy placement,
            RebalanceSetup rebalanceSetup) {
        this.config = config;
        this.identified = new IdentityCheckingRegistry(
                env.registry(),
                env.timers(),
                config.tickNanos(),
                "coordinator " + config.id() + " at " + config.address(),
                config.clusterId(),
                new IdentityListener());
        this.env = env.with(identified);
        this.placement = placement;
        this.rebalanceSetup = rebalanceSetup;
        this.contact = new RegistryConnectionMonitor(
                "coordinator " + config.id(),
                env.clock().nanos(),
                Long.MAX_VALUE, // the coordinator writes only when there is something to change
                "no table is created, and no replica moved or promoted, until the connection is back");
        contact.withFindings(() -> identified.outageFinding().map(UniserveException::reason));
        this.election = new LeaderElection(config, this.env, new ElectionListener());
    }

    /** Starts the election. Call it once. */
    public void start() {
        started = true;
        identified.onSession(this::onSession);
        identified.start();
        startStandby();
        election.start();
    }

    /** Stops at once; the leader node is deleted in the background. */
    public void stop() {
        stop(() -> {});
    }

    /** Stops at once. {@code done} runs when the leader node is deleted, so that a standby can take over without delay. */
    public void stop(Runnable done) {
        endTerm("it is shutting down");
        endStandby();
        started = false;
        identified.stop();
        election.stop(done);
    }

    /** True while this coordinator believes that it is the leader. Only the term check of a write proves it. */
    public boolean isLeader() {
        return leaderTerm != null;
    }

    /** The term of this leader, or empty while this coordinator stands by. */
    public Optional<Integer> term() {
        return Optional.ofNullable(leaderTerm).map(r -> r.registry().term());
    }

    /** The last known leader, possibly this coordinator. */
    public Optional<Address> leader() {
        return Optional.ofNullable(election.leader()).map(CoordinatorRecord::address);
    }

    /** Tables and live servers: the leader's own state, or a standby's copy from ZooKeeper. Empty until they have been read. */
    public Optional<Routing> routing() {
        if (leaderTerm != null) {
            return leaderTerm.isReady() ? Optional.of(leaderTerm.routing()) : Optional.empty();
        }
        return standbyRouting == null ? Optional.empty() : standbyRouting.routing();
    }

    /** Adds a listener that gets the routing after every change. */
    public void onRouting(Consumer<Routing> listener) {
        routingListeners.add(listener);
    }

    /** Adds a listener that is called when this coordinator must stop, for example because the registry belongs to another cluster. */
    public void onFatal(Consumer<UniserveException> listener) {
        fatalListeners.add(listener);
    }

    /** Adds a listener that gets the cluster's identity once it has been read from the registry. */
    public void onIdentity(Consumer<String> listener) {
        identityListeners.add(listener);
    }

    /** Handles a request of a server. */
    public void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.Ping) {
            completion.done(Outcome.ok(new PeerReply.Pong(config.pingSender(), 0)));
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
        contact.onSessionEvent(event, now);
        if (event == Registry.SessionEvent.CONNECTED) {
            contact.onRegistered(now); // the election maintains the leader node
        }
        election.onSession(event);
    }

    private UniserveException notLeader() {
        return registryProblem()
                .map(why -> new UniserveException(
                        ErrorCode.NOT_LEADER, "coordinator " + config.id() + " is not the leader: " + why))
                .orElseGet(election::notLeader);
    }

    /** Reason why this coordinator has no connection to its registry; empty if it has one. */
    public Optional<String> registryProblem() {
        return contact.lossReason(env.clock().nanos());
    }

    private void startStandby() {
        StandbyRouting next = new StandbyRouting(config, env, election::leader, this::publishRouting);
        standbyRouting = next;
        next.start();
    }

    private void endStandby() {
        if (standbyRouting != null) {
            standbyRouting.end();
            standbyRouting = null;
        }
    }

    private void publishRouting(Routing routing) {
        routingListeners.forEach(listener -> listener.accept(routing));
    }

    private void endTerm(String reason) {
        LeaderTerm ending = leaderTerm;
        if (ending != null) {
            leaderTerm = null;
            LOG.warn(
                    "coordinator {}: lost leadership in term {}: {}",
                    config.id(),
                    ending.registry().term(),
                    reason);
            ending.end(new UniserveException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "coordinator " + config.id() + " lost leadership (" + reason
                            + ") before it answered the request: check the table's state, then ask the new leader"));
        }
    }

    private final class ElectionListener implements LeaderElection.Listener {
        @Override
        public void onElected(int term) {
            endStandby();
            leaderTerm = new LeaderTerm(config, env, placement, rebalanceSetup, term, contact, new TermListener());
            leaderTerm.begin();
        }

        @Override
        public void onLeadershipLost(String reason) {
            endTerm(reason);
            restartStandby();
        }

        @Override
        public void onSessionEnded() {
            restartStandby();
        }

        @Override
        public void onLeaderChanged() {
            Optional.ofNullable(election.leader())
                    .flatMap(leader -> ClusterModes.refusal(config.closed(), "coordinator " + config.id(), leader))
                    .ifPresent(CoordinatorStateMachine.this::fatal);
            if (standbyRouting != null) {
                standbyRouting.push();
            }
        }

        private void restartStandby() {
            endStandby();
            if (started) {
                startStandby();
            }
        }
    }

    private void fatal(UniserveException error) {
        LOG.error("coordinator {}: fatal error, stopping: {}", config.id(), error.getMessage());
        if (started) {
            stop();
        }
        fatalListeners.forEach(listener -> listener.accept(error));
    }

    private final class IdentityListener implements IdentityCheckingRegistry.Listener {
        @Override
        public void onIdentified(String identity) {
            identityListeners.forEach(listener -> listener.accept(identity));
        }

        @Override
        public void onRefused(UniserveException why) {
            fatal(why);
        }
    }

    private final class TermListener implements LeaderTerm.Listener {
        @Override
        public void onIdentity(String identity) {
            identified.setIdentity(identity);
        }

        @Override
        public void onDeposed() {
            endTerm("another coordinator took the term");
            startStandby();
            election.stepDown();
        }

        @Override
        public void onFatal(UniserveException error) {
            CoordinatorStateMachine.this.fatal(error);
        }

        @Override
        public void onRouting(Routing routing) {
            publishRouting(routing);
        }
    }
}
