package io.uniserve.aws.ec2;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The part of EC2 that Uniserve uses, over HTTP, in memory, with faults by script. It starts no machines. */
final class TestingEc2Server implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService pool = Executors.newCachedThreadPool();
    final Map<String, Machine> machines = new LinkedHashMap<>();
    final List<Map<String, String>> requests = new ArrayList<>();
    /** Subnets without capacity. */
    final Set<String> full = new TreeSet<>();
    /** Instances that lists do not show yet. */
    final Set<String> unlisted = new TreeSet<>();
    /** Error code of an action, {@code LOST} for no answer after the effect, or null. */
    volatile Function<String, @Nullable String> faults = action -> null;

    private int pageSize = 1_000;

    /** Instance. */
    static final class Machine {
        final String clientToken;
        final String subnet;
        final Map<String, String> tags;
        String state = "pending";

        Machine(String clientToken, String subnet, Map<String, String> tags) {
            this.clientToken = clientToken;
            this.subnet = subnet;
            this.tags = tags;
        }
    }

    TestingEc2Server() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::serve);
        server.setExecutor(pool);
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void pages(int size) {
        pageSize = size;
    }

    @Override
    public void close() {
        server.stop(0);
        pool.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        Map<String, String> request = new TreeMap<>();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        for (String pair : body.split("&")) {
            int equals = pair.indexOf('=');
            request.put(
                    pair.substring(0, equals), URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        String action = request.getOrDefault("Action", "");
        String fault;
        String answer;
        synchronized (this) {
            requests.add(request);
            fault = faults.apply(action);
            boolean done = fault == null || fault.equals("LOST");
            answer = done ? answer(action, request) : error(fault);
        }
        if ("LOST".equals(fault)) {
            exchange.close();
            return;
        }
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.startsWith("<Response>") ? 400 : 200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static String error(String code) {
        return "<Response><Errors><Error><Code>" + code + "</Code><Message>" + code
                + "</Message></Error></Errors><RequestID>r</RequestID></Response>";
    }

    private String answer(String action, Map<String, String> request) {
        return switch (action) {
            case "RunInstances" -> run(request);
            case "DescribeInstances" -> describe(request);
            case "TerminateInstances" -> state(request, "shutting-down", "TerminateInstancesResponse");
            case "StartInstances" -> state(request, "pending", "StartInstancesResponse");
            default -> error("InvalidAction");
        };
    }

    private String run(Map<String, String> request) {
        String token = request.getOrDefault("ClientToken", "");
        for (Map.Entry<String, Machine> entry : machines.entrySet()) {
            if (entry.getValue().clientToken.equals(token)) {
                return "<RunInstancesResponse><instancesSet>" + item(entry.getKey(), entry.getValue())
                        + "</instancesSet></RunInstancesResponse>";
            }
        }
        String subnet = request.getOrDefault("SubnetId", "");
        if (full.contains(subnet)) {
            return error("InsufficientInstanceCapacity");
        }
        Map<String, String> tags = new TreeMap<>();
        for (int i = 1; request.containsKey("TagSpecification.1.Tag." + i + ".Key"); i++) {
            String at = "TagSpecification.1.Tag." + i;
            tags.put(request.getOrDefault(at + ".Key", ""), request.getOrDefault(at + ".Value", ""));
        }
        String id = String.format("i-%017x", machines.size() + 1);
        Machine machine = new Machine(token, subnet, tags);
        machines.put(id, machine);
        return "<RunInstancesResponse><instancesSet>" + item(id, machine) + "</instancesSet></RunInstancesResponse>";
    }

    private static String item(String id, Machine machine) {
        StringBuilder xml = new StringBuilder(
                "<item><instanceId>" + id + "</instanceId><instanceState><code>0</code><name>" + machine.state
                        + "</name></instanceState><launchTime>2026-01-01T00:00:00.000Z</launchTime><tagSet>");
        machine.tags.forEach(
                (key, value) -> xml.append("<item><key>" + key + "</key><value>" + value + "</value></item>"));
        return xml.append("</tagSet></item>").toString();
    }

    private String describe(Map<String, String> request) {
        String wanted = request.get("InstanceId.1");
        if (wanted != null && (!machines.containsKey(wanted) || unlisted.contains(wanted))) {
            return error("InvalidInstanceID.NotFound");
        }
        String filter = request.getOrDefault("Filter.1.Name", "").replaceFirst("^tag:", "");
        String value = request.getOrDefault("Filter.1.Value.1", "");
        List<String> ids = machines.keySet().stream()
                .filter(id -> !unlisted.contains(id))
                .filter(id -> wanted == null || id.equals(wanted))
                .filter(id -> filter.isEmpty() || value.equals(machine(id).tags.get(filter)))
                .toList();
        int from = Integer.parseInt(request.getOrDefault("NextToken", "0"));
        int end = Math.min(ids.size(), from + pageSize);
        StringBuilder xml = new StringBuilder("<DescribeInstancesResponse><reservationSet>");
        ids.subList(from, end)
                .forEach(id -> xml.append("<item><instancesSet>" + item(id, machine(id)) + "</instancesSet></item>"));
        xml.append("</reservationSet>");
        if (end < ids.size()) {
            xml.append("<nextToken>" + end + "</nextToken>");
        }
        return xml.append("</DescribeInstancesResponse>").toString();
    }

    Machine machine(String id) {
        Machine machine = machines.get(id);
        if (machine == null) {
            throw new AssertionError("no instance " + id);
        }
        return machine;
    }

    private String state(Map<String, String> request, String state, String root) {
        String id = request.getOrDefault("InstanceId.1", "");
        if (!machines.containsKey(id)) {
            return error("InvalidInstanceID.NotFound");
        }
        machine(id).state = state;
        return "<" + root + "><instancesSet><item><instanceId>" + id + "</instanceId></item></instancesSet></" + root
                + ">";
    }
}
