package io.uniserve.aws.sdk;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;

/** Clients of AWS services. They repeat nothing by themselves, and take credentials by the SDK's chain. Thread-safe. */
public final class SdkClients {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** Region of a service at an address of its own, for its signatures. */
    private static final String REGION_OF_ENDPOINTS = "us-east-1";

    private SdkClients() {}

    /**
     * Time-outs of a client.
     *
     * @param read longest silence of a connection
     * @param attempt longest request
     */
    public record Timeouts(Duration read, Duration attempt) {}

    /**
     * Builds a client. The region is the given one, that of AWS_REGION, the default one for an endpoint, or that of the SDK's chain.
     *
     * @param where setting or location that names the region, for the error
     * @param remedy what the reader of the error can do
     * @throws UniserveException INVALID_CONFIGURATION if no region is known
     */
    public static <B extends AwsClientBuilder<B, C> & AwsSyncClientBuilder<B, C>, C> C build(
            B builder,
            Optional<String> region,
            Optional<URI> endpoint,
            Timeouts timeouts,
            String where,
            String remedy) {
        builder.httpClientBuilder(
                ApacheHttpClient.builder().connectionTimeout(CONNECT).socketTimeout(timeouts.read()));
        builder.overrideConfiguration(override ->
                override.retryStrategy(AwsRetryStrategy.doNotRetry()).apiCallAttemptTimeout(timeouts.attempt()));
        endpoint.ifPresent(builder::endpointOverride);
        region.or(() -> Optional.ofNullable(System.getenv("AWS_REGION")))
                .or(() -> endpoint.map(unused -> REGION_OF_ENDPOINTS))
                .ifPresent(name -> builder.region(Region.of(name)));
        try {
            return builder.build();
        } catch (SdkClientException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, where + ": " + e.getMessage() + "; " + remedy, e);
        }
    }
}
