package io.uniserve.client;

import io.uniserve.model.Address;
import io.uniserve.protocol.reader.RequestSettings;
import io.uniserve.protocol.reader.RoutingPolicy;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Collects a client's settings. Not thread-safe. Wrong values fail with INVALID_ARGUMENT, here or in {@link #build}. */
public final class UniserveClientBuilder {
    private final List<Address> bootstrap = new ArrayList<>();
    private boolean bootstrapOfFile;
    private Optional<String> clusterId = Optional.empty();
    private Duration queryDeadline = Duration.ofSeconds(30);
    private Duration updateDeadline = Duration.ofSeconds(30);
    private Duration connectTimeout = Duration.ofSeconds(10);
    private int maxInFlight = 1_024;
    private long maxInFlightBytes = 128L << 20;
    private RequestSettings reader = RequestSettings.defaults();
    private RoutingPolicy routingPolicy = RoutingPolicy.weighted();
    private TlsFiles tls = TlsFiles.PLAIN;
    private Executor callbackExecutor = Runnable::run;

    UniserveClientBuilder() {}

    /**
     * Adds servers or coordinators, each {@code HOST:PORT}, to learn the routing map from. At least one is needed. The first
     * that are added after {@link #config} take the place of the file's.
     */
    public UniserveClientBuilder bootstrap(String... addresses) {
        if (bootstrapOfFile && addresses.length > 0) {
            bootstrap.clear();
            bootstrapOfFile = false;
        }
        for (String address : addresses) {
            bootstrap.add(Address.parse(address));
        }
        return this;
    }

    /**
     * Takes the sections {@code client} and {@code tls} of a HOCON file, all of whose options {@code reference.conf} explains. What is
     * set before is replaced, what is set later wins. INVALID_CONFIGURATION names file, key and remedy.
     */
    public UniserveClientBuilder config(Path file) {
        Settings settings = Settings.load(Optional.of(file), Map.of());
        bootstrap.clear();
        bootstrap.addAll(settings.client().bootstrap());
        bootstrapOfFile = true;
        queryDeadline = settings.client().queryDeadline();
        updateDeadline = settings.client().updateDeadline();
        connectTimeout = settings.client().connectTimeout();
        reader = settings.client().reader();
        tls = settings.tls();
        return this;
    }

    /** The cluster the client belongs to; servers of another one are refused. Default: the first that answers. */
    public UniserveClientBuilder clusterId(String id) {
        this.clusterId = Optional.of(id);
        return this;
    }

    /** The deadline of operations that do not set their own; more than 0, at most an hour. Default: 30 seconds. */
    public UniserveClientBuilder deadline(Duration duration) {
        this.queryDeadline = duration;
        this.updateDeadline = duration;
        return this;
    }

    /** How long {@link #build} waits for the first routing map. Default: 10 seconds. */
    public UniserveClientBuilder connectTimeout(Duration timeout) {
        this.connectTimeout = timeout;
        return this;
    }

    /** Operations under way at once; beyond, blocking calls wait and asynchronous ones fail with RESOURCE_EXHAUSTED. Default: 1,024. */
    public UniserveClientBuilder maxInFlight(int operations) {
        this.maxInFlight = operations;
        return this;
    }

    /** Bytes of rows under way at once, with the same effect. Default: 128 MiB. */
    public UniserveClientBuilder maxInFlightBytes(long bytes) {
        this.maxInFlightBytes = bytes;
        return this;
    }

    /** How requests are retried and hedged, and servers avoided. Default: {@link RequestSettings#defaults}. */
    public UniserveClientBuilder reader(RequestSettings settings) {
        this.reader = settings;
        return this;
    }

    /** Hedged requests per 1,000 requests, 0 to 1,000. Default: 100. */
    public UniserveClientBuilder hedgePermille(int permille) {
        this.reader = reader.withHedgePermille(permille);
        return this;
    }

    /** Which of several replicas answers. Default: {@link RoutingPolicy#weighted}. */
    public UniserveClientBuilder routingPolicy(RoutingPolicy policy) {
        this.routingPolicy = policy;
        return this;
    }

    /** Encrypts; servers must show a certificate that this PEM file of authorities vouches for. */
    public UniserveClientBuilder tls(Path authorities) {
        this.tls = new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(authorities), false);
        return this;
    }

    /** Encrypts as {@link #tls(Path)} does, and shows this certificate (PEM) with its key (PKCS#8). */
    public UniserveClientBuilder tls(Path authorities, Path certificate, Path key) {
        this.tls = new TlsFiles(true, Optional.of(certificate), Optional.of(key), Optional.of(authorities), false);
        return this;
    }

    /** What is shown and trusted, all in one. */
    public UniserveClientBuilder tls(TlsFiles files) {
        this.tls = files;
        return this;
    }

    /**
     * Where the stages of asynchronous operations complete. Default: the transport's threads, which callbacks must not
     * block.
     */
    public UniserveClientBuilder callbackExecutor(Executor executor) {
        this.callbackExecutor = executor;
        return this;
    }

    /** The options so far, checked. */
    public ClientOptions options() {
        return new ClientOptions(
                bootstrap,
                clusterId,
                queryDeadline,
                updateDeadline,
                connectTimeout,
                maxInFlight,
                maxInFlightBytes,
                reader,
                routingPolicy,
                tls,
                callbackExecutor);
    }

    /**
     * Connects: waits for the first routing map. UNAVAILABLE with what was tried when no bootstrap address gives one within
     * the connect time-out; WRONG_CLUSTER when they belong to another cluster.
     */
    public UniserveClient build() {
        return UniserveClient.connect(options());
    }
}
