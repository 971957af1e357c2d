package io.uniserve.client;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.security.Passwords;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Builder of a client. Wrong values fail with INVALID_ARGUMENT, here or in {@link #build}. Not thread-safe.
 *
 * <pre>{@code
 * UniserveClient client = UniserveClient.builder()
 *         .bootstrap("10.0.0.5:7070", "10.0.0.6:7071")
 *         .clusterId("prod")
 *         .deadline(Duration.ofSeconds(5))
 *         .build();
 * }</pre>
 */
public final class UniserveClientBuilder {
    private final List<Address> bootstrap = new ArrayList<>();
    private boolean bootstrapOfFile;
    private Optional<String> clusterId = Optional.empty();
    private Duration queryDeadline = Duration.ofSeconds(30);
    private Duration updateDeadline = Duration.ofSeconds(30);
    private Duration connectTimeout = Duration.ofSeconds(10);
    private int maxInFlight = 1_024;
    private long maxInFlightBytes = 128L << 20;
    private RequestSettings requestSettings = RequestSettings.defaults();
    private RoutingPolicy routingPolicy = RoutingPolicy.weighted();
    private TlsFiles tls = TlsFiles.PLAIN;
    private Optional<UserPassword> user = Optional.empty();
    private Optional<String> userWithoutPassword = Optional.empty();
    private Optional<Duration> renewBefore = Optional.empty();
    /** The file's setting. Files without a certificate, and a user with a password, take its place. */
    private Optional<Duration> renewOfFile = Optional.empty();

    private Executor callbackExecutor = Runnable::run;

    UniserveClientBuilder() {}

    /**
     * Adds addresses of servers or coordinators for the first routing map, each {@code HOST:PORT}. At least one is required. The
     * first addresses that are added after {@link #config} replace those of the file.
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
     * Reads the sections {@code client} and {@code tls} of a HOCON file, and {@code security.renewal.before}; {@code reference.conf}
     * explains all options. It replaces earlier settings, and later settings override it. Fails with INVALID_CONFIGURATION, with file, key and remedy.
     */
    public UniserveClientBuilder config(Path file) {
        Settings settings = Settings.load(Optional.of(file), Map.of());
        bootstrap.clear();
        bootstrap.addAll(settings.client().bootstrap());
        bootstrapOfFile = true;
        queryDeadline = settings.client().queryDeadline();
        updateDeadline = settings.client().updateDeadline();
        connectTimeout = settings.client().connectTimeout();
        requestSettings = settings.client().requestSettings();
        tls = settings.tls();
        Optional<String> name = settings.client().user();
        user = settings.client()
                .passwordFile()
                .map(one ->
                        new UserPassword(name.orElseThrow(), Passwords.ofFile("uniserve.client.password-file", one)));
        userWithoutPassword = user.isPresent() ? Optional.empty() : name;
        renewBefore = Optional.empty();
        renewOfFile = settings.client().renewCertificate()
                ? Optional.of(settings.renewal().before())
                : Optional.empty();
        return this;
    }

    /**
     * Logs in as this user with its password, at a cluster in mode closed, in place of a certificate. Needs {@link #tls(Path)}: a password is
     * refused over plain text.
     *
     * <pre>{@code
     * builder.tls(Path.of("trust.pem")).user("ann", password);
     * }</pre>
     *
     * @param password copied; overwrite it afterwards
     */
    public UniserveClientBuilder user(String name, char[] password) {
        return user(new UserPassword(name, password));
    }

    /** Logs in as {@link #user(String, char[])} does. */
    public UniserveClientBuilder user(UserPassword login) {
        renewOfFile = Optional.empty();
        user = Optional.of(login);
        userWithoutPassword = Optional.empty();
        return this;
    }

    /** Logs in as {@link #user(String, char[])} does, with the password that is the only line of a file. */
    public UniserveClientBuilder user(String name, Path passwordFile) {
        return user(name, Passwords.ofFile("password file", passwordFile));
    }

    /** Sets the client's cluster; servers of another one are rejected. Default: the first cluster that answers. */
    public UniserveClientBuilder clusterId(String id) {
        this.clusterId = Optional.of(id);
        return this;
    }

    /** Sets the deadline of operations without a deadline of their own; more than 0, at most an hour. Default: 30 seconds. */
    public UniserveClientBuilder deadline(Duration duration) {
        this.queryDeadline = duration;
        this.updateDeadline = duration;
        return this;
    }

    /** Sets the time for {@link #build} to get the first routing map. Default: 10 seconds. */
    public UniserveClientBuilder connectTimeout(Duration timeout) {
        this.connectTimeout = timeout;
        return this;
    }

    /**
     * Sets the largest number of concurrent operations. At the limit, blocking calls wait and asynchronous ones fail with
     * RESOURCE_EXHAUSTED. Default: 1,024.
     */
    public UniserveClientBuilder maxInFlight(int operations) {
        this.maxInFlight = operations;
        return this;
    }

    /** Sets the largest size of the rows of concurrent operations, with the same effect. Default: 128 MiB. */
    public UniserveClientBuilder maxInFlightBytes(long bytes) {
        this.maxInFlightBytes = bytes;
        return this;
    }

    /** Sets retries, hedging and the avoidance of silent servers. Default: {@link RequestSettings#defaults}. */
    public UniserveClientBuilder requestSettings(RequestSettings settings) {
        this.requestSettings = settings;
        return this;
    }

    /** Sets the number of hedged requests per 1,000 requests, 0 to 1,000. Default: 100. */
    public UniserveClientBuilder hedgePermille(int permille) {
        this.requestSettings = requestSettings.withHedgePermille(permille);
        return this;
    }

    /** Sets the choice among several replicas. Default: {@link RoutingPolicy#weighted}. */
    public UniserveClientBuilder routingPolicy(RoutingPolicy policy) {
        this.routingPolicy = policy;
        return this;
    }

    /** Enables TLS. Servers must present a certificate that an authority of this PEM file has signed. */
    public UniserveClientBuilder tls(Path authorities) {
        return tls(new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(authorities), false));
    }

    /** Enables TLS as {@link #tls(Path)} does, and presents this certificate (PEM) with its key (PKCS#8). */
    public UniserveClientBuilder tls(Path authorities, Path certificate, Path key) {
        return tls(new TlsFiles(true, Optional.of(certificate), Optional.of(key), Optional.of(authorities), false));
    }

    /** Sets all TLS files. */
    public UniserveClientBuilder tls(TlsFiles files) {
        this.tls = files;
        if (files.certificate().isEmpty()) {
            renewOfFile = Optional.empty();
        }
        return this;
    }

    /**
     * Makes the client renew its certificate: it gets another one from the leading coordinator, for another key, and replaces both files. Needs
     * {@link #tls(Path, Path, Path)}, the right to write in the folder of the files, and the user's name in {@code security.renewal.users} of
     * the coordinators. A failure is logged, and it tries again. Default: the client takes files that others have changed, and renews none.
     *
     * @param before time before the end of the certificate at which it is renewed, a second to 3,650 days; at most a third of its validity
     *     counts
     */
    public UniserveClientBuilder renewCertificate(Duration before) {
        this.renewBefore = Optional.of(before);
        return this;
    }

    /** Makes the client renew no certificate, whatever a file of {@link #config} has. For programs that are brief. */
    public UniserveClientBuilder withoutRenewal() {
        renewBefore = Optional.empty();
        renewOfFile = Optional.empty();
        return this;
    }

    /**
     * Sets the executor on which stages of asynchronous operations complete. Default: the transport's threads, which callbacks must
     * not block.
     */
    public UniserveClientBuilder callbackExecutor(Executor executor) {
        this.callbackExecutor = executor;
        return this;
    }

    /** Returns the settings so far, validated. */
    public ClientOptions options() {
        userWithoutPassword.ifPresent(name -> {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "uniserve.client.user = " + name
                            + " has no password: set uniserve.client.password-file, or pass the password");
        });
        return new ClientOptions(
                bootstrap,
                clusterId,
                queryDeadline,
                updateDeadline,
                connectTimeout,
                maxInFlight,
                maxInFlightBytes,
                requestSettings,
                routingPolicy,
                tls,
                user,
                renewBefore.or(() -> renewOfFile),
                callbackExecutor);
    }

    /**
     * Connects: waits for the first routing map. Fails with UNAVAILABLE, with the attempts, if no bootstrap address sends one within
     * the connect time-out; with WRONG_CLUSTER if the addresses belong to another cluster.
     */
    public UniserveClient build() {
        return UniserveClient.connect(options());
    }
}
