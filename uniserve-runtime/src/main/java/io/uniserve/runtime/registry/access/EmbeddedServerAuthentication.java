package io.uniserve.runtime.registry.access;

import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.apache.zookeeper.server.auth.X509AuthenticationProvider;
import org.jspecify.annotations.Nullable;

/**
 * Scheme x509 of embedded ZooKeeper servers, with key and authorities in memory. ZooKeeper creates it by its name. Stateless; the managers
 * are those of the process.
 */
public final class EmbeddedServerAuthentication extends X509AuthenticationProvider {
    private static final AtomicReference<@Nullable Managers> MANAGERS = new AtomicReference<>();

    /** Key and authorities of the process. */
    record Managers(X509KeyManager key, X509TrustManager trust) {}

    /** For ZooKeeper. {@link #use} comes first. */
    public EmbeddedServerAuthentication() {
        this(present());
    }

    private EmbeddedServerAuthentication(Managers managers) {
        super(managers.trust(), managers.key());
    }

    private static Managers present() {
        Managers managers = MANAGERS.get();
        if (managers == null) {
            throw new IllegalStateException("no embedded ZooKeeper with TLS has started");
        }
        return managers;
    }

    static void use(Managers managers) {
        MANAGERS.set(managers);
    }
}
