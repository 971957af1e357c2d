package io.uniserve.runtime.registry;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.apache.zookeeper.util.ServiceUtils;

/** A real ZooKeeper ensemble of three servers in this process, any of which can be parted from the two others. */
final class ThreeServers implements AutoCloseable {
    private static final int COUNT = 3;
    private static final int TICK_MILLIS = 500;
    /** In ticks: 15 s, as a busy machine's disk stands still for seconds, which is not what a test here is about. */
    private static final int LIMIT = 30;

    private static final int ATTEMPTS_MAX = 5;

    private final int[] clientPorts = new int[COUNT];
    private final List<Member> members = new ArrayList<>();
    /** Those through which a server reaches another one, of all pairs of servers. */
    private final List<Link> links = new ArrayList<>();

    private record Link(int from, int to, Strait strait) {}

    /** A server of the ensemble. */
    private static final class Member extends QuorumPeerMain {
        private final CountDownLatch made = new CountDownLatch(1);

        @Override
        protected QuorumPeer getQuorumPeer() throws javax.security.sasl.SaslException {
            QuorumPeer peer = super.getQuorumPeer();
            made.countDown();
            return peer;
        }

        QuorumPeer peer() {
            return quorumPeer;
        }

        boolean running() {
            return made.getCount() == 0 && quorumPeer != null;
        }

        boolean serves() {
            ZooKeeperServer server = running() ? quorumPeer.getActiveServer() : null;
            return server != null && server.isRunning();
        }
    }

    /** Started, on other ports where another process has taken one of those that were free. */
    static ThreeServers started(Path directory) throws IOException {
        AtomicInteger ended = new AtomicInteger();
        ServiceUtils.setSystemExitProcedure(code -> ended.incrementAndGet()); // not this process
        for (int attempt = 1; ; attempt++) {
            int before = ended.get();
            BooleanSupplier failed = () -> ended.get() > before;
            ThreeServers servers = new ThreeServers(Files.createDirectory(directory.resolve("try" + attempt)), failed);
            await().until(() -> servers.complete() || failed.getAsBoolean());
            if (!failed.getAsBoolean() || attempt == ATTEMPTS_MAX) {
                return servers;
            }
            servers.close();
        }
    }

    private ThreeServers(Path directory, BooleanSupplier failed) throws IOException {
        int[] quorum = new int[COUNT];
        int[] election = new int[COUNT];
        List<List<ServerSocket>> taken = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            List<ServerSocket> own = new ArrayList<>();
            quorum[i] = free(own);
            election[i] = free(own);
            clientPorts[i] = free(own);
            taken.add(own);
        }
        List<QuorumPeerConfig> configs = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            configs.add(config(i, Files.createDirectory(directory.resolve("zk" + i)), quorum, election));
        }
        for (int i = 0; i < COUNT; i++) { // only now, as the links would take their ports
            for (ServerSocket socket : taken.get(i)) {
                socket.close();
            }
            start(i, configs.get(i));
            awaitListening(election[i], failed); // those that start later ask for its vote, and not the other way round
        }
    }

    private static void awaitListening(int port, BooleanSupplier failed) {
        await().until(() -> {
            if (failed.getAsBoolean()) { // its port was taken
                return true;
            }
            try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return probe.isConnected();
            } catch (ConnectException e) {
                return false;
            }
        });
    }

    /** Whether all of them serve, so that any two are a quorum: one that follows may not have what the leader has yet. */
    private boolean complete() {
        return leader() >= 0
                && followers().size() == COUNT - 1
                && members.stream().allMatch(Member::serves);
    }

    private static int free(List<ServerSocket> taken) throws IOException {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        taken.add(socket);
        return socket.getLocalPort();
    }

    private QuorumPeerConfig config(int self, Path data, int[] quorum, int[] election) throws IOException {
        Files.writeString(data.resolve("myid"), Integer.toString(self + 1));
        Properties properties = new Properties();
        properties.setProperty("dataDir", data.toString());
        properties.setProperty("tickTime", Integer.toString(TICK_MILLIS));
        properties.setProperty("initLimit", Integer.toString(LIMIT));
        properties.setProperty("syncLimit", Integer.toString(LIMIT));
        properties.setProperty("admin.enableServer", "false");
        properties.setProperty("4lw.commands.whitelist", "srvr");
        for (int other = 0; other < COUNT; other++) {
            int quorumPort = other == self ? quorum[other] : link(self, other, quorum[other]);
            int electionPort = election(self, other, election);
            properties.setProperty(
                    "server." + (other + 1),
                    "127.0.0.1:" + quorumPort + ":" + electionPort + ";127.0.0.1:" + clientPorts[other]);
        }
        QuorumPeerConfig config = new QuorumPeerConfig();
        try {
            config.parseProperties(properties);
        } catch (QuorumPeerConfig.ConfigException e) {
            throw new IllegalStateException(e);
        }
        return config;
    }

    private void start(int self, QuorumPeerConfig config) {
        Member member = new Member();
        members.add(member);
        Thread thread = new Thread(
                () -> {
                    try {
                        member.runFromConfig(config);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } catch (org.apache.zookeeper.server.admin.AdminServer.AdminServerException e) {
                        throw new IllegalStateException(e);
                    }
                },
                "zk" + self);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Of two servers the one with the higher number connects to the other. When that one asks for it, it tells where it
     * listens itself, and is connected to there: past its links, so that votes would come through while it is parted.
     */
    private int election(int self, int other, int[] election) throws IOException {
        if (other > self) {
            Strait none = Strait.toNowhere();
            links.add(new Link(self, other, none));
            return none.port();
        }
        return other == self ? election[other] : link(self, other, election[other]);
    }

    private int link(int from, int to, int port) throws IOException {
        Strait strait = new Strait(port);
        links.add(new Link(from, to, strait));
        return strait.port();
    }

    /** Where clients of this server connect. */
    String address(int server) {
        return "127.0.0.1:" + clientPorts[server];
    }

    /** The server that believes to lead, -1 for none, of those not parted. */
    int leader() {
        for (int i = 0; i < COUNT; i++) {
            if (state(i) == QuorumPeer.ServerState.LEADING) {
                return i;
            }
        }
        return -1;
    }

    QuorumPeer.ServerState state(int server) {
        Member member = members.get(server);
        return member.running() ? member.peer().getPeerState() : QuorumPeer.ServerState.LOOKING;
    }

    List<Integer> followers() {
        List<Integer> followers = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            if (state(i) == QuorumPeer.ServerState.FOLLOWING) {
                followers.add(i);
            }
        }
        return followers;
    }

    /** Nothing passes between this server and the others, or again does. Clients reach all of them. */
    void part(int server, boolean value) {
        links.stream()
                .filter(link -> link.from() == server || link.to() == server)
                .forEach(link -> link.strait().shut(value));
    }

    @Override
    public void close() throws IOException {
        for (Link link : links) {
            link.strait().shut(false);
        }
        members.forEach(QuorumPeerMain::close);
        for (Link link : links) {
            link.strait().close();
        }
    }
}
