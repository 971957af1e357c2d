package io.uniserve.coordinator;

import io.uniserve.coordinator.provider.ProcessServerProvider;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.placement.ScalingPolicy;
import io.uniserve.placement.ThresholdScalingPolicy;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.protocol.env.ServerProvider;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.ScalingSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.config.ZooKeeperSettings;
import io.uniserve.runtime.optional.OptionalJars;
import io.uniserve.runtime.provider.AsyncServerProvider;
import io.uniserve.runtime.provider.BlockingServerProvider;
import io.uniserve.runtime.provider.ServerProviderFactory;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Policies and providers that {@code coordinator.scaling} can name. */
final class ScalingFactory {
    private static final String THRESHOLD = "threshold";
    private static final String PROCESS = "process";
    private static final String KEY = "uniserve.coordinator.scaling.";

    private ScalingFactory() {}

    /** The policy of the settings. Fails with INVALID_CONFIGURATION for an unknown one. */
    static ScalingPolicy policy(ScalingSettings settings) {
        if (settings.policy().equals(THRESHOLD)) {
            return new ThresholdScalingPolicy(settings.limits());
        }
        try {
            return PolicyCatalog.byClass(settings.policy(), ScalingPolicy.class);
        } catch (UniserveException e) {
            throw invalid("policy: " + e.reason() + "; or use " + THRESHOLD, e);
        }
    }

    /** A provider, and the end of its threads. */
    record Provider(ServerProvider calls, Runnable close) {}

    /** The provider of the settings. Fails with INVALID_CONFIGURATION for an unknown one. */
    static Provider provider(Settings whole, Executor loop) {
        ScalingSettings settings = whole.coordinator().scaling();
        String name = settings.provider();
        if (name.equals(PROCESS)) {
            ProcessServerProvider process = process(whole, settings.process(), loop);
            return new Provider(process, process::close);
        }
        BlockingServerProvider blocking = OptionalJars.find(
                        ServerProviderFactory.class, factory -> factory.name().equals(name))
                .orElseThrow(() -> invalid(
                        "provider: \"" + name + "\" is not in " + OptionalJars.folder() + ": use process or ec2", null))
                .create(settings.options(name));
        AsyncServerProvider provider = new AsyncServerProvider(blocking, loop);
        return new Provider(provider, provider::close);
    }

    private static ProcessServerProvider process(Settings whole, ScalingSettings.Process process, Executor loop) {
        List<String> command = new ArrayList<>(process.command());
        if (command.isEmpty()) {
            String home = System.getProperty("uniserve.home");
            if (home == null) {
                throw invalid(
                        "process.command: this process was not started by the uniserve script, so there is no"
                                + " default: set the command that starts a server",
                        null);
            }
            command.addAll(List.of(Path.of(home, "uniserve").toString(), "server"));
        }
        List<String> arguments = new ArrayList<>(List.of(
                "--zookeeper",
                whole.zookeeper().connect(),
                "--cluster",
                whole.zookeeper().cluster()));
        List<String> given =
                Stream.concat(command.stream(), process.arguments().stream()).toList();
        if (given.stream().noneMatch(word -> isOption(word, "--config"))) {
            arguments.addAll(listenerArguments(whole, given));
        }
        arguments.addAll(process.arguments());
        return new ProcessServerProvider(
                process.directory(), command, arguments, process.stopGrace().toNanos(), SystemClock.INSTANCE, loop);
    }

    /** Arguments by which a server listens on the coordinator's host, as open or closed as the coordinator, with its identity. */
    static List<String> listenerArguments(Settings whole, List<String> given) {
        List<String> arguments = new ArrayList<>();
        if (given.stream().noneMatch(word -> isOption(word, "--host"))) {
            arguments.addAll(List.of("--host", whole.host(ListenerKind.COORDINATOR)));
        }
        boolean closed = whole.security(ListenerKind.COORDINATOR).closed();
        if (closed || whole.isOpenToNetwork(ListenerKind.COORDINATOR)) {
            arguments.addAll(List.of("-S", "security.mode=" + (closed ? "closed" : "open")));
        }
        if (closed) {
            TreeSet<String> admins =
                    new TreeSet<>(whole.security(ListenerKind.COORDINATOR).admins());
            arguments.addAll(List.of("-S", "security.admins=" + String.join(",", admins)));
        }
        TlsFiles tls = whole.tls();
        if (tls.enabled()) {
            arguments.addAll(List.of("-S", "tls.enabled=true"));
            addFile(arguments, "tls.certificate-file", tls.certificate());
            addFile(arguments, "tls.key-file", tls.key());
            addFile(arguments, "tls.trust-file", tls.trust());
            arguments.addAll(List.of("-S", "tls.require-client-certificate=" + tls.requireClientCertificate()));
        }
        arguments.addAll(zooKeeperArguments(whole.zookeeper()));
        return arguments;
    }

    /** Arguments by which a server has the coordinator's identity towards ZooKeeper. */
    private static List<String> zooKeeperArguments(ZooKeeperSettings settings) {
        List<String> arguments = new ArrayList<>();
        ZooKeeperSettings.Access access = settings.access();
        if (access.scheme() != ZooKeeperSettings.Scheme.NONE) {
            arguments.addAll(List.of(
                    "-S", "zookeeper.access.scheme=" + access.scheme().name().toLowerCase(Locale.ROOT)));
            arguments.addAll(List.of("-S", "zookeeper.access.user=" + access.user()));
            addFile(arguments, "zookeeper.access.password-file", access.passwordFile());
            arguments.addAll(List.of("-S", "zookeeper.access.migration=" + access.migration()));
        }
        ZooKeeperSettings.Tls tls = settings.tls();
        if (tls.enabled()) {
            arguments.addAll(List.of("-S", "zookeeper.tls.enabled=true"));
            addFile(arguments, "zookeeper.tls.certificate-file", tls.certificate());
            addFile(arguments, "zookeeper.tls.key-file", tls.key());
            addFile(arguments, "zookeeper.tls.trust-file", tls.trust());
            arguments.addAll(List.of("-S", "zookeeper.tls.check-host-name=" + tls.checkHostName()));
        }
        return arguments;
    }

    private static void addFile(List<String> arguments, String key, Optional<Path> file) {
        file.ifPresent(path -> arguments.addAll(List.of("-S", key + "=" + path)));
    }

    private static boolean isOption(String word, String option) {
        return word.equals(option) || word.startsWith(option + "=");
    }

    private static UniserveException invalid(String message, @Nullable Throwable cause) {
        return new UniserveException(ErrorCode.INVALID_CONFIGURATION, KEY + message, cause);
    }
}
