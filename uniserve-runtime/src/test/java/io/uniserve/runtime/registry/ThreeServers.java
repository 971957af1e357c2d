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

/** ZooKeeper ensemble of three servers in this process; each can be partitioned from the two others. */
final class ThreeServers implements AutoCloseable {
    private static final int COUNT = 3;
    private static final int TICK_MILLIS = 500;
    /** In ticks: 15 s, as the disk of a busy machine may block for seconds, which is not the subject of these tests. */
    private static final int LIMIT = 30;

    private static final int ATTEMPTS_MAX = 5;

    private final int[] clientPorts = new int[COUNT];
    private final List<Member> members = new ArrayList<>();
    /** Proxies from each server to each other one. */
    private final List<Link> links = new ArrayList<>();

    private record Link(int from, int to, Strait strait) {}

    /** Server of the ensemble. */
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

    /** Starts the ensemble; uses other ports if another process has taken one meanwhile. */
    static ThreeServers started(Path directory) throws IOException {
        AtomicInteger ended = new AtomicInteger();
        ServiceUtils.setSystemExitProcedure(code -> ended.incrementAndGet()); // do not exit this process
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
        for (int i = 0; i < COUNT; i++) { // only now, as the proxies might use these ports
            for (ServerSocket socket : taken.get(i)) {
                socket.close();
            }
            start(i, configs.get(i));
            awaitListening(election[i], failed); // later servers connect to it for votes, not the other way round
        }
    }

    private static void awaitListening(int port, BooleanSupplier failed) {
        await().until(() -> {
            if (failed.getAsBoolean()) { // another process uses its port
                return true;
            }
            try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return probe.isConnected();
            } catch (ConnectException e) {
                return false;
            }
        });
    }

    /** True if all servers serve, so that any two are a quorum: a follower may lag behind the leader. */
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
     * Election port of another server as configured for this one. Of two servers the one with the higher number connects to the
     * other. At a connection the other way round, it sends its own address and gets connected there directly, so votes would bypass
     * the proxies.
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

    /** Address of this server for clients. */
    String address(int server) {
        return "127.0.0.1:" + clientPorts[server];
    }

    /** Server that acts as leader, of those that are not partitioned; -1 for none. */
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

    /** Partitions this server from the others, or reconnects it. Clients reach all servers. */
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
