package io.uniserve.benchmark.measure;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Statistics of a ZooKeeper server, from its four-letter command {@code srvr}.
 *
 * @param received requests of all sessions since its start, heartbeats included
 * @param connections open connections, this one included
 * @param nodes znodes
 */
public record ZooKeeperServerStats(long received, int connections, int nodes) {
    private static final int TIMEOUT_MS = 10_000;

    /** Asks the server. */
    public static ZooKeeperServerStats read(Address server) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(server.host(), server.port()), TIMEOUT_MS);
            socket.setSoTimeout(TIMEOUT_MS);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return parse(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot ask ZooKeeper at " + server + ": " + e.getMessage(), e);
        }
    }

    /** Parses the answer of {@code srvr}. Fails with INTERNAL if a line is missing. */
    static ZooKeeperServerStats parse(String answer) {
        return new ZooKeeperServerStats(
                number(answer, "Received"), (int) number(answer, "Connections"), (int) number(answer, "Node count"));
    }

    private static long number(String answer, String name) {
        Matcher line = Pattern.compile("(?m)^" + name + ": (\\d+)\\s*$").matcher(answer);
        if (!line.find()) {
            throw new UniserveException(
                    ErrorCode.INTERNAL, "ZooKeeper's answer to srvr has no line \"" + name + "\": " + answer);
        }
        return Long.parseLong(line.group(1));
    }
}
