package io.uniserve.aws.s3;

import io.uniserve.aws.sdk.SdkClients;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.DurableStore;
import io.uniserve.runtime.store.DurableStoreProvider;
import io.uniserve.runtime.store.StoreReport;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.services.s3.S3Client;

/** Stores with a location of the scheme {@code s3}. */
public final class S3StoreProvider implements DurableStoreProvider {
    private static final Logger LOG = LoggerFactory.getLogger(S3StoreProvider.class);
    private static final RandomIdGenerator IDS = new RandomIdGenerator();
    private static final SdkClients.Timeouts TIMEOUTS =
            new SdkClients.Timeouts(Duration.ofSeconds(30), Duration.ofSeconds(60));

    @Override
    public String scheme() {
        return "s3";
    }

    @Override
    public DurableStore open(String location) {
        S3Location parsed = S3Location.parse(location);
        return checked(new S3ObjectStore(client(parsed), parsed, requests(parsed), S3StoreProvider::newId));
    }

    /**
     * Reads from a store. One that does not answer is no reason to stop a server: it may have been lost together with the servers' power.
     * Any other error closes the store.
     */
    static S3ObjectStore checked(S3ObjectStore store) {
        try {
            store.checkAccess();
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                store.close();
                throw e;
            }
            LOG.warn("durable store {} does not answer yet: {}", store.describe(), e.reason());
        }
        return store;
    }

    @Override
    public StoreReport analyse(String location) {
        S3Location parsed = S3Location.parse(location);
        try (S3Client client = client(parsed)) {
            return new S3StoreAnalyser(client, parsed, requests(parsed), S3StoreProvider::newId, S3StoreProvider::now)
                    .run();
        }
    }

    static String newId() {
        return Long.toHexString(IDS.next()) + Long.toHexString(IDS.next());
    }

    static Instant now() {
        return Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    }

    static S3Requests requests(S3Location location) {
        return new S3Requests(
                new S3ErrorMapper(location),
                new RequestRateLimiter(SystemClock.INSTANCE::nanos),
                S3Requests.Sleeper.PARKING,
                new Random(IDS.next()));
    }

    static S3Client client(S3Location location) {
        return SdkClients.build(
                S3Client.builder()
                        .forcePathStyle(location.pathStyle())
                        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                        .serviceConfiguration(service -> service.chunkedEncodingEnabled(false)),
                location.region(),
                location.endpoint(),
                TIMEOUTS,
                location.describe(),
                "add ?region=REGION to the location, or set AWS_REGION");
    }
}
