package io.uniserve.aws.s3;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.DurableStore;
import io.uniserve.runtime.store.DurableStoreProvider;
import io.uniserve.runtime.store.StoreReport;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Stores with a location of the scheme {@code s3}. */
public final class S3StoreProvider implements DurableStoreProvider {
    private static final Logger LOG = LoggerFactory.getLogger(S3StoreProvider.class);
    private static final RandomIdGenerator IDS = new RandomIdGenerator();
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration READ = Duration.ofSeconds(30);
    private static final Duration ATTEMPT = Duration.ofSeconds(60);

    @Override
    public String scheme() {
        return "s3";
    }

    @Override
    public DurableStore open(String location) {
        S3Location parsed = S3Location.parse(location);
        return checked(new S3ObjectStore(
                client(parsed), parsed, requests(parsed, new RequestCounter()), S3StoreProvider::newId));
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
            return new S3StoreAnalyser(
                            client,
                            parsed,
                            requests(parsed, new RequestCounter()),
                            S3StoreProvider::newId,
                            S3StoreProvider::now)
                    .run();
        }
    }

    static String newId() {
        return Long.toHexString(IDS.next()) + Long.toHexString(IDS.next());
    }

    static Instant now() {
        return Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    }

    static S3Requests requests(S3Location location, RequestCounter counter) {
        return new S3Requests(
                new S3ErrorMapper(location),
                new RequestRateLimiter(SystemClock.INSTANCE::nanos),
                S3Requests.Sleeper.PARKING,
                new Random(IDS.next()),
                counter);
    }

    static S3Client client(S3Location location) {
        S3ClientBuilder builder = S3Client.builder()
                .httpClientBuilder(
                        ApacheHttpClient.builder().connectionTimeout(CONNECT).socketTimeout(READ))
                .forcePathStyle(location.pathStyle())
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .serviceConfiguration(service -> service.chunkedEncodingEnabled(false))
                .overrideConfiguration(override ->
                        override.retryStrategy(AwsRetryStrategy.doNotRetry()).apiCallAttemptTimeout(ATTEMPT));
        location.endpoint().ifPresent(builder::endpointOverride);
        location.region()
                .or(() -> Optional.ofNullable(System.getenv("AWS_REGION")))
                .or(() -> location.endpoint().map(unused -> "us-east-1"))
                .ifPresent(region -> builder.region(Region.of(region)));
        try {
            return builder.build();
        } catch (SdkClientException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    location.describe() + ": " + e.getMessage()
                            + "; add ?region=REGION to the location, or set AWS_REGION",
                    e);
        }
    }
}
