package io.uniserve.runtime.transport.client;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.security.CertificateRenewer.LeafSource;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Source of certificates: the leading coordinator. Thread-safe. */
public final class LeaderLeafSource implements LeafSource {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final CertificateClient client;
    private final Supplier<Optional<Address>> leader;

    /** @param leader address of the leading coordinator, empty while unknown */
    public LeaderLeafSource(CertificateClient client, Supplier<Optional<Address>> leader) {
        this.client = client;
        this.leader = leader;
    }

    @Override
    public String request(X509Certificate current, PublicKey key) throws InterruptedException {
        Address to =
                leader.get().orElseThrow(() -> new UniserveException(ErrorCode.UNAVAILABLE, "no coordinator leads"));
        CompletableFuture<Outcome<String>> answer = new CompletableFuture<>();
        client.renew(to, key, TIMEOUT_NANOS, answer::complete);
        try {
            Outcome<String> outcome = answer.get();
            if (outcome instanceof Outcome.Ok<String> ok) {
                return ok.value();
            }
            throw outcome.error();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a future that is only completed has failed", e);
        }
    }
}
