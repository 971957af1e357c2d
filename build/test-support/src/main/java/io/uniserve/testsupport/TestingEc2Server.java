package io.uniserve.testsupport;

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

/**
 * The part of EC2 that Uniserve uses, over HTTP on the loopback address, in memory, with faults by script. Without a {@link MachineHost} it
 * starts no machines, and a test sets the states of instances. With one, an instance comes to its next state after a list has shown it.
 * Thread-safe.
 */
public final class TestingEc2Server implements AutoCloseable {
    /** Fault of an action that takes effect and gets no answer. */
    public static final String LOST = "LOST";

    private final HttpServer server;
    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final @Nullable MachineHost host;
    private final Map<String, Instance> instances = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> launches = new TreeMap<>();
    private final List<Map<String, String>> requests = new ArrayList<>();
    private final Set<String> full = new TreeSet<>();
    private final Map<String, Integer> hidden = new TreeMap<>();
    private Function<Map<String, String>, @Nullable String> faults = request -> null;
    private int pageSize = 1_000;
    private int hiddenLists;

    /**
     * Instance at one moment.
     *
     * @param clientToken client token of the request that made it
     * @param subnet empty for that of the template
     * @param state state in EC2's words
     */
    public record Instance(String id, String clientToken, String subnet, Map<String, String> tags, String state) {
        public Instance {
            tags = Map.copyOf(tags);
        }

        private Instance with(String next) {
            return new Instance(id, clientToken, subnet, tags, next);
        }
    }

    /** Starts a service without machines. */
    public TestingEc2Server() throws IOException {
        this(null);
    }

    /** Starts a service whose instances are the machines of this host. */
    public TestingEc2Server(@Nullable MachineHost host) throws IOException {
        this.host = host;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::serve);
        server.setExecutor(pool);
        server.start();
    }

    /** Address for the setting {@code coordinator.scaling.ec2.endpoint}. */
    public String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Sets the number of instances per page of a list. */
    public synchronized void pages(int size) {
        pageSize = size;
    }

    /**
     * Sets the script of faults.
     *
     * @param script error code for a request, {@link #LOST}, or null for no fault. It is called once per request, in the order of effects,
     *     and may call this service.
     */
    public synchronized void faults(Function<Map<String, String>, @Nullable String> script) {
        faults = script;
    }

    /** Takes or gives the capacity of a subnet. */
    public synchronized void setFull(String subnet, boolean isFull) {
        boolean unused = isFull ? full.add(subnet) : full.remove(subnet);
    }

    /** Hides the instance from this number of lists. */
    public synchronized void hide(String id, int lists) {
        hidden.put(id, lists);
    }

    /** Hides each instance launched from now on from its first lists. */
    public synchronized void hideNew(int lists) {
        hiddenLists = lists;
    }

    /** All instances, terminated ones included, oldest first. */
    public synchronized List<Instance> instances() {
        return List.copyOf(instances.values());
    }

    /** The instance with this id. */
    public synchronized Instance instance(String id) {
        Instance instance = instances.get(id);
        if (instance == null) {
            throw new AssertionError("no instance " + id);
        }
        return instance;
    }

    /** Adds or replaces an instance, without a call of the host. */
    public synchronized void put(Instance instance) {
        instances.put(instance.id(), instance);
    }

    /** Sets the state of an instance, without a call of the host. */
    public synchronized void setState(String id, String state) {
        put(instance(id).with(state));
    }

    /** Stops an instance of a host as EC2 does by itself: its machine loses its power, its disk stays. */
    public synchronized void stop(String id) throws IOException {
        if (host != null) {
            host.stop(id);
        }
        setState(id, "stopped");
    }

    /** Parameters of all requests, oldest first. */
    public synchronized List<Map<String, String>> requests() {
        return List.copyOf(requests);
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
        String fault;
        String answer;
        synchronized (this) {
            requests.add(Map.copyOf(request));
            fault = faults.apply(request);
            boolean done = fault == null || fault.equals(LOST);
            answer = done ? answer(request) : error(fault);
        }
        if (LOST.equals(fault)) {
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

    private String answer(Map<String, String> request) throws IOException {
        String id = request.getOrDefault("InstanceId.1", "");
        return switch (request.getOrDefault("Action", "")) {
            case "RunInstances" -> run(request);
            case "DescribeInstances" -> describe(request);
            case "TerminateInstances" -> instances.containsKey(id) ? terminate(id) : unknown();
            case "StartInstances" -> instances.containsKey(id) ? start(id) : unknown();
            default -> error("InvalidAction");
        };
    }

    private static String unknown() {
        return error("InvalidInstanceID.NotFound");
    }

    private String run(Map<String, String> request) throws IOException {
        String token = request.getOrDefault("ClientToken", "");
        for (Instance known : instances.values()) {
            if (known.clientToken().equals(token)) {
                return request.equals(launches.get(token)) ? launched(known) : error("IdempotentParameterMismatch");
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
        String id = String.format("i-%017x", instances.size() + 1);
        Instance instance = new Instance(id, token, subnet, tags, "pending");
        put(instance);
        hide(id, hiddenLists);
        launches.put(token, Map.copyOf(request));
        if (host != null) {
            host.launch(id, instance.tags());
        }
        return launched(instance);
    }

    private static String launched(Instance instance) {
        return "<RunInstancesResponse><instancesSet>" + item(instance) + "</instancesSet></RunInstancesResponse>";
    }

    private static String item(Instance instance) {
        StringBuilder xml = new StringBuilder("<item><instanceId>" + instance.id()
                + "</instanceId><instanceState><code>0</code><name>" + instance.state()
                + "</name></instanceState><launchTime>2026-01-01T00:00:00.000Z</launchTime><tagSet>");
        new TreeMap<>(instance.tags())
                .forEach((key, value) -> xml.append("<item><key>" + key + "</key><value>" + value + "</value></item>"));
        return xml.append("</tagSet></item>").toString();
    }

    private String describe(Map<String, String> request) {
        hidden.replaceAll((id, lists) -> lists - 1);
        hidden.values().removeIf(lists -> lists < 0);
        String wanted = request.get("InstanceId.1");
        if (wanted != null && (!instances.containsKey(wanted) || hidden.containsKey(wanted))) {
            return unknown();
        }
        String filter = request.getOrDefault("Filter.1.Name", "").replaceFirst("^tag:", "");
        String value = request.getOrDefault("Filter.1.Value.1", "");
        List<Instance> found = instances.values().stream()
                .filter(one -> !hidden.containsKey(one.id()))
                .filter(one -> wanted == null || one.id().equals(wanted))
                .filter(one -> filter.isEmpty() || value.equals(one.tags().get(filter)))
                .toList();
        int from = Integer.parseInt(request.getOrDefault("NextToken", "0"));
        int end = Math.min(found.size(), from + pageSize);
        StringBuilder xml = new StringBuilder("<DescribeInstancesResponse><reservationSet>");
        for (Instance one : found.subList(from, end)) {
            xml.append("<item><instancesSet>" + item(one) + "</instancesSet></item>");
            comeToNextState(one);
        }
        xml.append("</reservationSet>");
        if (end < found.size()) {
            xml.append("<nextToken>" + end + "</nextToken>");
        }
        return xml.append("</DescribeInstancesResponse>").toString();
    }

    private void comeToNextState(Instance instance) {
        if (host != null && instance.state().equals("pending")) {
            put(instance.with("running"));
        } else if (host != null && instance.state().equals("shutting-down")) {
            put(instance.with("terminated"));
        }
    }

    private String start(String id) throws IOException {
        String state = instance(id).state();
        if (state.equals("stopped")) {
            setState(id, "pending");
            if (host != null) {
                host.start(id);
            }
        } else if (!state.equals("pending") && !state.equals("running")) {
            return error("IncorrectInstanceState");
        }
        return changed("StartInstancesResponse", id);
    }

    private String terminate(String id) throws IOException {
        String state = instance(id).state();
        if (!state.equals("shutting-down") && !state.equals("terminated")) {
            setState(id, "shutting-down");
            if (host != null) {
                host.terminate(id);
            }
        }
        return changed("TerminateInstancesResponse", id);
    }

    private static String changed(String root, String id) {
        return "<" + root + "><instancesSet><item><instanceId>" + id + "</instanceId></item></instancesSet></" + root
                + ">";
    }
}
