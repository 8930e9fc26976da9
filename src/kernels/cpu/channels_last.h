#pragma once

#include "runtime/kernel.h"

/// The kernels of operators whose attribute `channels_last` is set: float32, (images, sizes…, channels).
namespace dyad::kernels::channels_last {

void convolution(const KernelCall& call);
void convolution_input_gradient(const KernelCall& call);
void convolution_weight_gradient(const KernelCall& call);

void batch_norm_train(const KernelCall& call);
void batch_norm_train_grad(const KernelCall& call);

void max_pool(const KernelCall& call);
void max_pool_with_places(const KernelCall& call);
void average_pool(const KernelCall& call);
void average_pool_gradient(const KernelCall& call);
void unpool(const KernelCall& call);

}  // namespace dyad::kernels::channels_last
